// Keys that have a recognisable shape in any text, log or source file.
//
// Each pattern takes linear time. A pattern of several parts starts only where no character of its own class precedes it, so
// that it does not read a long run again from each character. Each part has a bound: without one, a line of megabytes
// exhausts the stack of the regular expression.

type SecretShape = { kind: string; pattern: RegExp };

const START = '(?<![A-Za-z0-9])';

const shape = (kind: string, ...sources: readonly string[]): SecretShape => ({
  kind,
  pattern: new RegExp(`${START}(?:${sources.join('|')})`, 'g'),
});

const dashes = '-----';
const label = `[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?${dashes}`;
/** White space, or a newline as JSON and shells escape it. */
const gap = String.raw`(?:\s|\\[nrt])`;

export const SECRET_SHAPES: readonly SecretShape[] = [
  {
    kind: 'a private key',
    // Up to its end, or as far as its lines go if the end was cut off.
    pattern: new RegExp(
      `${dashes}BEGIN ${label}(?:(?:[^-]|-(?!----)){0,20000}${dashes}END ${label}|(?:${gap}{1,4}[A-Za-z0-9+/=]{16,4000}){0,400}(?:${gap}{1,4}[A-Za-z0-9+/=]{1,64}(?!\\S))?)`,
      'g',
    ),
  },
  shape('a private key', 'AGE-SECRET-KEY-1[0-9A-Z]{50,4000}'),
  shape('an AWS access key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  shape('a GitHub token', 'gh[opsru]_[A-Za-z0-9]{30,4000}', String.raw`github_pat_\w{30,4000}`),
  shape('a GitLab token', String.raw`gl(?:pat|dt|rt|ptt|ft|soat|cbt)-[\w-]{20,4000}`),
  shape(
    'a Slack token',
    String.raw`xox[abeprs]-[\w-]{10,4000}`,
    String.raw`xapp-[\w-]{20,4000}`,
    String.raw`hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,4000}`,
  ),
  shape('a Discord webhook', String.raw`discord(?:app)?\.com/api/webhooks/\d{10,4000}/[\w-]{30,4000}`),
  shape('a Stripe key', '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,4000}', 'whsec_[A-Za-z0-9+/]{20,4000}=*'),
  shape('an Anthropic key', String.raw`sk-ant-[\w-]{20,4000}`),
  shape(
    'an OpenAI key',
    String.raw`sk-(?:or|proj|svcacct|admin)-[\w-]{20,4000}`,
    String.raw`sk-(?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{20,4000}`,
  ),
  shape(
    'a Google key',
    String.raw`AIza[\w-]{30,4000}`,
    String.raw`ya29\.[\w-]{30,4000}`,
    String.raw`GOCSPX-[\w-]{20,4000}`,
  ),
  shape('an npm token', 'npm_[A-Za-z0-9]{30,4000}'),
  shape('a PyPI token', String.raw`pypi-AgE[\w-]{40,4000}`),
  shape(
    'an API key',
    String.raw`SG\.[\w-]{20,4000}\.[\w-]{20,4000}`,
    'hf_[A-Za-z0-9]{30,4000}',
    'd(?:op|oo|or)_v1_[a-f0-9]{40,4000}',
    'dapi[a-f0-9]{32}(?![A-Za-z0-9])',
    'key-[a-f0-9]{32}(?![A-Za-z0-9])',
    'lin_(?:api|oauth)_[A-Za-z0-9]{30,4000}',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
    String.raw`hv[sb]\.[\w-]{20,4000}`,
    String.raw`dp\.(?:pt|st|ct|sa)\.(?:[a-z0-9_]{1,40}\.)?[A-Za-z0-9]{40,4000}`,
    'sbp_[a-f0-9]{40}',
    'ATATT3[A-Za-z0-9_=-]{40,4000}',
    'ntn_[A-Za-z0-9]{40,4000}',
    'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}',
    'NRAK-[A-Z0-9]{27}',
    'gsk_[A-Za-z0-9]{40,4000}',
    'r8_[A-Za-z0-9]{37,4000}',
    'pplx-[A-Za-z0-9]{40,4000}',
    'SK[a-f0-9]{32}(?![A-Za-z0-9])',
    String.raw`\d{8,10}:AA[\w-]{33}(?![\w-])`,
  ),
  {
    kind: 'a signed token',
    pattern: /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,4000}/g,
  },
];

/** All shapes in one expression: most texts contain none, and so are read only once. */
export const ANY_SHAPE = new RegExp(SECRET_SHAPES.map(({ pattern }) => pattern.source).join('|'), 'g');
