// Keys and passwords that found their way into a text, by what they look like. Values of the environment are masked elsewhere, by what they are.

const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ['an access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [
    'an access token',
    /\b(?:gh[opsru]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|npm_[A-Za-z0-9]{30,})/g,
  ],
  ['an API key', /\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{20,}|\bAIza[\w-]{30,}/g],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['a password in an address', /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/:@]+:(?![<${*])[^\s/@]{3,}(?=@)/gi],
  [
    'a secret',
    /(?<=\b(?:api[_-]?key|secret|token|passw(?:or)?d|pwd|bearer)\w*["']?\s*[:= ]\s*["']?)(?=[\w+/.-]*\d)(?=[\w+/.-]*[a-z])[\w+/.-]{16,}/gi,
  ],
];

/** What a text seems to give away; null where it seems harmless. */
export const secretIn = (text: string): string | null =>
  SECRETS.find(([, pattern]) => text.search(pattern) >= 0)?.[0] ?? null;

export const withoutSecrets = (text: string): string =>
  SECRETS.reduce((masked, [, pattern]) => masked.replace(pattern, '<masked>'), text);
