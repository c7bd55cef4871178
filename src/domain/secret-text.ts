// Keys and passwords that found their way into a text, by what they look like. Values of the environment are masked elsewhere, by what they are.

const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ['an access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [
    'an access token',
    /\b(?:gh[opsru]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{40,}|ya29\.[\w-]{30,})/g,
  ],
  [
    'an API key',
    /\bsk-(?:ant|or|proj|svcacct)-[\w-]{20,}|\b(?:sk|pk|rk|whsec)[-_](?:live_|test_)?(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}|\bAIza[\w-]{30,}|\bSG\.[\w-]{20,}\.[\w-]{20,}/g,
  ],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['a password in an address', /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/:@]*:(?![<*{]|\$[A-Z{])[^\s/@]{3,}(?=@)/gi],
  [
    'a secret',
    // The name of a variable, however it is put together, and a value of its own: AWS_SECRET_ACCESS_KEY=..., "apiKey": "...".
    /(?<=(?:api[ _-]?key|access[_-]?key|account[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd)\w*["'`]?\s*(?:[:=]|\bis\b:?)\s*["'`]?)(?=[\w+/.=-]*\d)(?=[\w+/.=-]*[a-z])(?![\w.-]*\/[\w.-]+\.[a-z]{2,4}\b)[\w+/.=-]{16,}/gi,
  ],
  // Words in a row are no key: a long run of letters and digits without a break is.
  [
    'a secret',
    /(?<=\b(?:api[ _-]?key|secret|token|passw(?:or)?d|bearer|basic)s? ["'`]?)(?=[a-z0-9+/]*\d)(?=[a-z0-9+/]*[a-z])[a-z0-9+/]{20,}=*(?![\w/.-])/gi,
  ],
];

/** What a text seems to give away; null where it seems harmless. */
export const secretIn = (text: string): string | null =>
  SECRETS.find(([, pattern]) => text.search(pattern) >= 0)?.[0] ?? null;

export const withoutSecrets = (text: string): string =>
  SECRETS.reduce((masked, [, pattern]) => masked.replace(pattern, '<masked>'), text);
