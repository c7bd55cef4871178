// What Ralph makes of GitHub's answers: limits are waited for, faults retried, and the token goes to one host only.
import { expect, it } from 'vitest';
import { type Github, openGithub } from '../../../src/host/github/client.ts';
import { answer, type FakeGithub, fakeGithub } from '../../support/github.ts';

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
  const input = { api, token: secret, isPatient, tell: (text: string) => void sentences.push(text) };
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
])('%s is waited for, and one line says until when', async (_, fault, ms) => {
  const fake = await fakeGithub();
  fake.faults = [fault];
  const client = clientOf(fake);
  expect(await client.get('/repos/octo/shelf')).toMatchObject({ value: { full_name: 'octo/shelf' } });
  expect(client.slept).toEqual([ms]);
  expect(client.sentences).toEqual([
    expect.stringMatching(/^The rate limit of 127\.0\.0\.1:\d+ is used up; Ralph waits until \d\d:\d\d\.$/),
  ]);
});

it('a limit that lasts longer is refused, unless the person waits for it', async () => {
  const fake = await fakeGithub();
  const fault = answer(429, 'API rate limit exceeded', inSeconds(3_000));
  fake.faults = [fault, fault];
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
  fake.faults = [answer(502, 'Bad Gateway'), (response) => void response.destroy(), answer(500, '')];
  const client = clientOf(fake);
  expect(await client.get('/repos/octo/shelf')).toMatchObject({ value: { full_name: 'octo/shelf' } });
  fake.faults = Array.from({ length: 4 }, () => answer(503, ''));
  await expect(client.get('/repos/octo/shelf')).rejects.toThrow(
    'cannot be reached (it answers 503); nothing',
  );
  expect(client.slept).toEqual([1_000, 3_000, 9_000, 1_000, 3_000, 9_000]);
});

it.each([
  ['a redirect', (to: string) => answer(301, '', { location: to })],
  ['a next page', (to: string) => pageWith(to)],
])('%s on another host gets no request and no token', async (_, fault) => {
  const [fake, other] = [await fakeGithub(), await fakeGithub()];
  fake.faults = [fault(`${other.api}/repos/octo/shelf`)];
  await expect(clientOf(fake).list('/repos/octo/shelf/issues')).rejects.toThrow('to no other host');
  expect(other.asked).toEqual([]);
});

const pageWith =
  (next: string): FakeGithub['faults'][number] =>
  (response) =>
    void response.writeHead(200, { link: `<${next}>; rel="next"` }).end('[]');

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
  fake.faults = [(response) => void response.writeHead(200).end('<html>')];
  await expect(clientOf(fake).get('/repos/octo/shelf')).rejects.toThrow('check github.api');
});
