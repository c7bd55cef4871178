// The approximation against a public tokenizer (o200k, as the best stand-in there is for one that is not public).
import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { countTokens } from '../../src/recipes/tokens.ts';

const ENGLISH = [
  readFileSync('README.md', 'utf8'),
  readFileSync('ARCHITECTURE.md', 'utf8'),
  readFileSync('CONTRIBUTING.md', 'utf8'),
].join('\n');
const CODE = [
  'src/domain/sessions/settle.ts',
  'src/store/sqlite.ts',
  'src/queue/tasks/insert-tasks.ts',
  'package.json',
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');
const CJK =
  '利用者がメールアドレスとパスワードでログインすると、サーバーはセッションを作成し、三十日間有効なクッキーを返します。パスワードの照合に五回失敗した場合、一分間はログインできません。' +
  '用户使用电子邮件和密码登录后，服务器会创建一个会话，并返回一个有效期为三十天的 Cookie。如果密码连续输错五次，则在一分钟内无法再次登录。' +
  '사용자가 이메일과 비밀번호로 로그인하면 서버는 세션을 만들고 삼십 일 동안 유효한 쿠키를 돌려줍니다.';

it.each([
  ['English', ENGLISH, 0.15],
  ['code', CODE, 0.2],
  ['CJK', CJK, 0.3],
])('the estimate is close enough for %s', (_, text, tolerance) => {
  const real = encode(text).length;
  const off = (countTokens(text) - real) / real;
  expect(Math.abs(off), `off by ${(off * 100).toFixed(1)}%`).toBeLessThan(tolerance);
});

it('the estimate is positive for any text, and grows with it', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('a')).toBeGreaterThan(0);
  expect(countTokens('word '.repeat(1000))).toBeGreaterThan(countTokens('word '.repeat(999)));
});
