// What Ralph makes of GitHub's answers: limits are waited for, faults retried, and the token goes to one host only.
import { expect, it } from 'vitest';
import { type Github, openGithub } from '../../../src/host/github/client.ts';
import {
  answer,
  disconnect,
  type FakeGithub,
  type Fault,
  fakeGithub,
  fault,
  onRequest,
} from '../../support/github.ts';

const NOW = Date.parse('2026-02-03T04:05:06Z');

type Client = Github & { sentences: string[]; slept: number[] };

function clientOf({ api, token }: Pick<FakeGithub, 'api' | 'token'>, isPatient = false): Client {
  const [sentences, slept]: [string[], number[]] = [[], []];
  let now = NOW;
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  const secret = token === null ? null : { value: token, from: 'GH_ENTERPRISE_TOKEN' };
  const input = {
    api,
    token: secret,
    isPatient,
    limitAdvice: ', or wait with --wait',
    tell: (text: string) => void sentences.push(text),
  };
  return { ...openGithub(input, { fetch, sleep, now: () => now }), sentences, slept };
}

const inSeconds = (seconds: number): Record<string, string> => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(NOW / 1_000 + seconds),
});

it.each([
  [
    'a secondary limit that says how long',
    answer(403, 'secondary rate limit', { 'retry-after': '7' }),
    7_000,
  ],
  ['a secondary limit that does not', answer(403, 'You have exceeded a secondary rate limit.'), 60_000],
  ['a 429 without a word', answer(429, ''), 60_000],
  ['a primary limit that ends soon', answer(403, 'API rate limit exceeded', inSeconds(30)), 31_000],
])('%s is waited for, and one line says until when', async (_, limit, ms) => {
  const fake = await fakeGithub();
  fake.faults = [limit];
  const client = clientOf(fake);
  expect(await client.get('/repos/octo/shelf')).toMatchObject({ value: { full_name: 'octo/shelf' } });
  expect(client.slept).toEqual([ms]);
  expect(client.sentences).toEqual([
    expect.stringMatching(/^The rate limit of 127\.0\.0\.1:\d+ is used up; Ralph waits until \d\d:\d\d\.$/),
  ]);
});

it('a limit that lasts longer is refused, unless the person waits for it', async () => {
  const fake = await fakeGithub();
  const long = answer(429, 'API rate limit exceeded', inSeconds(3_000));
  fake.faults = [long, long];
  await expect(clientOf(fake).get('/repos/octo/shelf')).rejects.toThrow(/is used up until .* with --wait\./);
  const patient = clientOf(fake, true);
  expect(await patient.get('/repos/octo/shelf')).toMatchObject({ value: { full_name: 'octo/shelf' } });
  expect(patient.slept).toEqual([3_001_000]);
});

it('a limit without an end is refused after at most two minutes of waiting', async () => {
  const fake = await fakeGithub();
  fake.faults = Array.from({ length: 9 }, () => answer(403, 'secondary rate limit'));
  const client = clientOf(fake);
  await expect(client.get('/repos/octo/shelf')).rejects.toThrow('The rate limit of');
  expect(client.slept).toEqual([60_000]);
});

it('a server that fails is asked again three times', async () => {
  const fake = await fakeGithub();
  fake.faults = [answer(502, 'Bad Gateway'), disconnect, answer(500, '')];
  const client = clientOf(fake);
  expect(await client.get('/repos/octo/shelf')).toMatchObject({ value: { full_name: 'octo/shelf' } });
  fake.faults = Array.from({ length: 4 }, () => answer(503, ''));
  await expect(client.get('/repos/octo/shelf')).rejects.toThrow('cannot be reached (it answers 503); try');
  expect(client.slept).toEqual([1_000, 3_000, 9_000, 1_000, 3_000, 9_000]);
});

it.each([
  ['a redirect', (to: string) => answer(301, '', { location: to })],
  ['a next page', (to: string) => pageWith(to)],
])('%s on another host gets no request and no token', async (_, elsewhere) => {
  const [fake, other] = [await fakeGithub(), await fakeGithub()];
  fake.faults = [elsewhere(`${other.api}/repos/octo/shelf`)];
  await expect(clientOf(fake).list('/repos/octo/shelf/issues')).rejects.toThrow('to no other host');
  expect(other.asked).toEqual([]);
});

const pageWith = (next: string): Fault =>
  fault((response) => void response.writeHead(200, { link: `<${next}>; rel="next"` }).end('[]'));

it('redirects without an end are refused', async () => {
  const fake = await fakeGithub();
  fake.faults = Array.from({ length: 9 }, () => answer(302, '', { location: `${fake.api}/again` }));
  await expect(clientOf(fake).get('/again')).rejects.toThrow('in circles');
});

it('a 403 that is no limit says what GitHub says, and never the token', async () => {
  const fake = await fakeGithub();
  fake.faults = [answer(403, `SAML is needed for ${fake.token}`)];
  await expect(clientOf(fake).get('/repos/octo/shelf')).rejects.toThrow(
    /refuses this \(SAML is needed for \*\*\*\); give the token the right/,
  );
});

it('an answer that is not JSON is refused', async () => {
  const fake = await fakeGithub();
  fake.faults = [fault((response) => void response.writeHead(200).end('<html>'))];
  await expect(clientOf(fake).get('/repos/octo/shelf')).rejects.toThrow('check github.api');
});

it('a POST without an answer is not sent again, because it may have had its effect', async () => {
  const fake = await fakeGithub([{ number: 1, title: 'One' }]);
  fake.faults = [onRequest(/^POST /, disconnect, true)];
  const client = clientOf(fake);
  const post = () => client.send('POST', '/repos/octo/shelf/issues/1/comments', { body: 'Hello' });
  await expect(post()).rejects.toMatchObject({ status: 0, message: expect.stringContaining('cannot be') });
  expect(fake.comments).toMatchObject([{ issue: 1, body: 'Hello' }]);
  fake.faults = [answer(502, '')];
  await expect(post()).rejects.toMatchObject({ status: 502 });
  expect(client.slept).toEqual([]);
});

it('a change that says what shall be is sent again, also to a repository that moved', async () => {
  const fake = await fakeGithub([{ number: 1, title: 'One' }]);
  fake.formerly = ['octo/shelf'];
  fake.name = 'kim/books';
  fake.faults = [onRequest(/^PATCH /, disconnect, true), answer(503, '')];
  const client = clientOf(fake);
  const closed = { state: 'closed', state_reason: 'completed' };
  expect(await client.send('PATCH', '/repos/octo/shelf/issues/1', closed)).toMatchObject({ value: closed });
  expect(fake.issues).toMatchObject([closed]);
  expect(await client.send('POST', '/repos/octo/shelf/issues/2/comments', { body: 'x' })).toEqual({
    status: 404,
    value: null,
    next: null,
  });
});

it('a limit of writing is waited for, and an invalid change says what GitHub says of it', async () => {
  const fake = await fakeGithub([{ number: 1, title: 'One' }]);
  fake.faults = [answer(403, 'You have exceeded a secondary rate limit', { 'retry-after': '5' })];
  const client = clientOf(fake);
  const post = (body: string) => client.send('POST', '/repos/octo/shelf/issues/1/comments', { body });
  expect(await post('Hello')).toMatchObject({ status: 201, value: { body: 'Hello' } });
  expect(client.slept).toEqual([5_000]);
  await expect(post('x'.repeat(70_000))).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/answers 422 \(Validation Failed: body is too long/),
  });
});

it('a used up limit that lasts is refused with the time at which it ends', async () => {
  const fake = await fakeGithub();
  fake.rate = { left: 1, reset: NOW / 1_000 + 3_000 };
  const client = clientOf(fake);
  await client.get('/user');
  await expect(client.get('/user')).rejects.toMatchObject({ status: 403, retryAt: NOW + 3_001_000 });
});
