const NAMED_LIKE_A_SECRET = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
/** Shorter ones are words of the language: to mask them would tear texts apart. */
const SHORTEST = 8;

/** Values of the environment that are named like secrets, wherever they turn up in what Ralph writes. */
export function maskSecrets(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    NAMED_LIKE_A_SECRET.test(name) && value.length >= SHORTEST ? [value] : [],
  );
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '<masked>'), text);
}
