// Secrets that no scanner of this repository must take for a leak: each is put together here.

/** The environment of a person, with secrets of every kind that a name gives away. */
export const SECRET_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/home/somebody',
  DEPLOY_TOKEN: ['dt', '9f1c', 'Qz77', 'LmN0'].join('-'),
  PAYMENT_API_KEY: ['pay', 'K3yV4lue', '2f9a'].join('.'),
  DB_PASSWORD: ['tr0ub4dor', '&3', '/horse'].join(''),
  DATABASE_URL: ['postgres://shop:', 's3cr3t-db-pw', '@db.internal:5432/shop'].join(''),
  SENTRY_DSN: ['https://', '5f3a9c1e7b2d4f60', '@o1.ingest.sentry.test/42'].join(''),
  SESSION_COOKIE: ['sid', 'A1b2C3d4E5f6G7h8'].join('='),
  HTTPS_PROXY: ['http://me:', 'pr0xy-passw0rd', '@proxy.internal:3128'].join(''),
};

/** Secrets that are known by their shape, one of each kind. */
export const SHAPED: Readonly<Record<string, string>> = {
  aws: ['AKIA', 'Z7Q2M4N8P1R5T3V9'].join(''),
  github: ['ghp_', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'].join(''),
  gitlab: ['glpat-', 'x9Y8z7W6v5U4t3S2r1Q0'].join(''),
  slack: ['xoxb-', '123456789012-abcdefGHIJKL'].join(''),
  stripe: ['sk_live_', '51H8xYzAbCdEfGhIjKlMnOp'].join(''),
  anthropic: ['sk-ant-', 'api03-ab_d-EFGH_ijkl-MNOP0123456789'].join(''),
  openai: ['sk-proj-', 'abcdefghijklmnopqrst0123456789'].join(''),
  google: ['AIza', 'SyD3f4G5h6J7k8L9m0N1p2Q3r4S5t6U7v8W'].join(''),
  npm: ['npm_', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'].join(''),
  jwt: ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join('.'),
  pem: [
    '-----BEGIN EC ',
    'PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY\n-----END EC ',
    'PRIVATE KEY-----',
  ].join(''),
};
