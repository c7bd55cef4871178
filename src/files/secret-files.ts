import { basename } from 'node:path';
import picomatch from 'picomatch';

/** Files that never go into a prompt, even if a person names them. `knowledge.secrets` of the config adds to these. */
const SECRETS = [
  '.env',
  '.env.*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  'id_rsa*',
  'id_ed25519*',
  'id_ecdsa*',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  'credentials',
  'credentials.*',
  'secrets.*',
  '*.secret',
  'service-account*.json',
  'terraform.tfstate*',
];

/** Files whose secrets may be committed, by the globs of the configuration. */
export const allowedMatcher = (patterns: readonly string[]): ((path: string) => boolean) =>
  patterns.length === 0 ? () => false : picomatch([...patterns], { dot: true });

/** Examples and public keys: they hold no secret values. */
const HARMLESS = ['.env.example', '.env.sample', '.env.template', '*.pub'];

export function secretMatcher(more: readonly string[]): (path: string) => boolean {
  const options = { dot: true, nocase: true };
  const isSecret = picomatch([...SECRETS, ...more], options);
  const isHarmless = picomatch(HARMLESS, options);
  const isNamedByPath = picomatch([...more], options);
  return (path) => isNamedByPath(path) || (isSecret(basename(path)) && !isHarmless(basename(path)));
}
