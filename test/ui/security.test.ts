// Who may talk to the dashboard: its own page, with its token. Everybody else changes nothing and learns nothing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { changesSince } from '../../src/queue/queue.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import {
  acted,
  asked,
  type DashboardPlace,
  DRAWN,
  dashboard,
  dashboardWithin,
  followLink,
  openPage,
  openStranger,
  REBOUND,
} from '../support/dashboard.ts';
import { entry } from '../support/journal.ts';
import { queueOf } from '../support/mcp.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { effectsWith, LIMITS, runSession } from '../support/queue.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { ACTION_SAMPLES, VIEW_SAMPLES } from '../support/ui-samples.ts';

/** Every page there is; text that people and agents wrote stays text on each. */
const PAGES = [
  '/',
  '/tasks',
  '/tasks/1',
  '/graph',
  '/sessions',
  '/sessions/hostile',
  '/knowledge',
  '/knowledge?feature=auth',
  '/knowledge?q=right',
  '/knowledge?file=docs/hostile.md',
  '/runs',
  '/runs/1',
];

const ALWAYS = {
  'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

async function oneTask(): Promise<TestProject> {
  const project = await initialised();
  await project.json('add', 'One');
  await project.json('learn', 'A fact');
  return project;
}

async function watched(): Promise<{ place: DashboardPlace; events(): Promise<unknown> }> {
  const project = await oneTask();
  const [place, queue] = [await dashboardWithin(project), await queueOf(project)];
  return { place, events: () => changesSince(queue, 0) };
}

/** A server of somebody else on this machine; it keeps what it was asked for. */
async function elsewhere(): Promise<{ port: number; heard: string[]; headers: IncomingHttpHeaders[] }> {
  const script = readFileSync('test/fixtures/hostile-page.js');
  const [heard, headers]: [string[], IncomingHttpHeaders[]] = [[], []];
  const server: Server = createServer((asking, response) => {
    heard.push(`${asking.method} ${asking.headers['sec-fetch-dest'] ?? 'socket'}`);
    headers.push(asking.headers);
    const isScript = asking.url === '/hostile-page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><body><script src="/hostile-page.js"></script>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard, headers };
}

describe('a page of somebody else', () => {
  const REFUSED = {
    read: 'refused',
    'read with the token': 'refused',
    'read the page': 'refused',
    'read unseen': 'refused',
    act: 'refused',
    'act with the token': 'refused',
    'act unseen': 'refused',
    'act with cookies': 'refused',
    image: 'refused',
    script: 'refused',
    frame: 'unreadable',
    'form text/plain': 'unreadable',
    'form application/x-www-form-urlencoded': 'unreadable',
    'form multipart/form-data': 'unreadable',
    events: 'refused',
    socket: 'refused',
  };

  it('a page of another origin changes nothing and learns nothing, wherever it comes from, even with the token', async () => {
    const { place, events } = await watched();
    const [attacker, victim] = [await elsewhere(), await elsewhere()];
    const before = await events();
    const page = await openStranger();
    const attack = (target: string): Promise<unknown> =>
      page.evaluate(`attack(${JSON.stringify({ target, token: place.token })})`);
    for (const host of ['127.0.0.1', 'localhost', REBOUND]) {
      await page.goto(`http://${host}:${attacker.port}/`);
      expect({ host, came_to: await attack(place.origin) }).toEqual({ host, came_to: REFUSED });
      expect(page.frame('framed')?.url()).toBe('chrome-error://chromewebdata/');
    }
    const port = new URL(place.origin).port;
    expect(await attack(`http://${REBOUND}:${port}`)).toEqual(REFUSED);

    // The same attempts reach a server that has no guard.
    await attack(`http://127.0.0.1:${victim.port}`);
    expect([...new Set(victim.heard)].sort()).toEqual([
      'GET empty',
      'GET iframe',
      'GET image',
      'GET script',
      'GET socket',
      'OPTIONS empty',
      'POST empty',
      'POST iframe',
    ]);

    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`window.popup = window.open(${JSON.stringify(place.origin)})`),
    ]);
    await popup.getByText('This page needs its key').waitFor();
    expect(await popup.evaluate('window.opener')).toBe(null);
    expect(await page.evaluate('window.popup.closed')).toBe(true);

    // A link that somebody follows, and the page under a name that somebody else's DNS gave it.
    const followed = await page.goto(`${place.origin}/api/do/skip?ids=1`);
    const rebound = await page.goto(`http://${REBOUND}:${port}/#${place.token}`);
    expect([followed?.status(), rebound?.status()]).toEqual([403, 403]);
    expect(await events()).toEqual(before);
  });
});

type Sent = { method?: string; path?: string; headers?: Record<string, string | string[]>; body?: string };

/** What no browser would send. */
const send = (
  { origin }: DashboardPlace,
  { method = 'GET', path = '/api/project', headers = {}, body = '' }: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders }> =>
  new Promise((answered, failed) => {
    const { hostname, port } = new URL(origin);
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      answered({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('error', failed).end(body);
  });

/** Bytes as they are, and all that comes back until the server ends it. */
const sendRaw = ({ origin }: DashboardPlace, text: string): Promise<string> =>
  new Promise((over, failed) => {
    let got = '';
    connect(Number(new URL(origin).port), '127.0.0.1')
      .on('data', (data) => {
        got += data;
      })
      .on('close', () => over(got))
      .on('error', failed)
      .write(text);
  });

it('the dashboard refuses what is not sent as its page would send it, with the same headers on every answer', async () => {
  const { place, events } = await watched();
  const before = await events();
  const { host, port } = new URL(place.origin);
  const authorization = `Bearer ${place.token}`;
  const own = { authorization, 'content-type': 'application/json' };
  const skip = { method: 'POST', path: '/api/do/skip', body: '{"ids":[1]}', headers: own };
  const cases: [number, string, Sent][] = [
    [200, 'its own', { headers: own }],
    [200, 'its own page', { path: '/' }],
    [401, 'no token', {}],
    [401, 'a wrong token', { headers: { authorization: `${authorization}0` } }],
    [401, 'the token in the query', { path: `/api/project?token=${place.token}` }],
    [401, 'the token in a cookie', { headers: { cookie: `ralph-token=${place.token}` } }],
    [401, 'an action without a token', { ...skip, headers: { 'content-type': 'application/json' } }],
    [415, 'a form', { ...skip, headers: { ...own, 'content-type': 'text/plain' } }],
    [415, 'no type', { ...skip, headers: { authorization } }],
    [400, 'no JSON', { ...skip, body: '{' }],
    [400, 'a field too many', { ...skip, body: '{"ids":[1],"x":1}' }],
    [413, 'too long a body', { ...skip, body: ' '.repeat(3 * 1024 * 1024) }],
    [
      413,
      'too long a body in pieces',
      { ...skip, headers: { ...own, 'transfer-encoding': 'chunked' }, body: ' '.repeat(3e6) },
    ],
    [405, 'an action by GET', { ...skip, method: 'GET', body: '' }],
    [405, 'HEAD', { method: 'HEAD', headers: own }],
    [405, 'OPTIONS', { method: 'OPTIONS', headers: own }],
    [405, 'POST of a page', { method: 'POST', path: '/' }],
    [
      403,
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'http://evil.test', 'access-control-request-method': 'POST' } },
    ],
    [403, 'another host', { headers: { ...own, host: 'evil.test' } }],
    [403, 'another host with the port', { headers: { ...own, host: `evil.test:${port}` } }],
    [403, 'the page for another host', { path: '/', headers: { host: `evil.test:${port}` } }],
    [403, 'no origin to speak of', { headers: { ...own, origin: 'null' } }],
    [403, 'another port', { headers: { ...own, origin: 'http://127.0.0.1:1' } }],
    [403, 'another name', { headers: { ...own, origin: `http://localhost:${port}` } }],
    [403, 'two origins', { headers: { ...own, origin: [`http://${host}`, 'http://evil.test'] } }],
    [403, 'cross-site', { headers: { ...own, 'sec-fetch-site': 'cross-site' } }],
    [403, 'same-site', { headers: { ...own, 'sec-fetch-site': 'same-site' } }],
    [403, 'typed', { headers: { ...own, 'sec-fetch-site': 'none' } }],
    [403, 'two sites', { headers: { ...own, 'sec-fetch-site': ['same-origin', 'cross-site'] } }],
    [
      403,
      'a frame',
      {
        path: '/',
        headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      },
    ],
    [401, 'a way around', { path: '/x/../api/project' }],
    [404, 'two slashes', { path: '//api/project', headers: own }],
    [404, 'nothing but slashes', { path: '//', headers: own }],
    [404, 'another host in the path', { path: '//evil.test/api/project', headers: own }],
    [404, 'a slash in disguise', { path: '/api%2fproject', headers: own }],
    [404, 'a whole address', { path: 'http://evil.test/api/project', headers: own }],
    [404, 'a broken escape', { path: '/%', headers: own }],
    [404, 'a file beside the page', { path: '/..%2f..%2fpackage.json', headers: own }],
    [404, 'an action that there is not', { ...skip, path: '/api/do/constructor' }],
    [431, 'too long an address', { path: `/${'a'.repeat(20_000)}` }],
    [417, 'an expectation', { headers: { ...own, expect: 'more' } }],
  ];
  for (const [status, about, sent] of cases) {
    const answer = await send(place, sent);
    expect({ about, ...answer }).toMatchObject({ about, status, headers: ALWAYS });
    expect(Object.keys(answer.headers).join(), about).not.toMatch(/access-control|set-cookie/);
  }
  for (const [about, text] of Object.entries({
    'no HTTP': 'hello\r\n\r\n',
    'a header in two lines': `GET / HTTP/1.1\r\nHost: ${host}\r\nX: a\r\n b\0\r\n\r\n`,
    'two lengths': `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    'two hosts': `GET / HTTP/1.1\r\nHost: evil.test\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    'no host': 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
  })) {
    const answer = await sendRaw(place, text);
    expect(answer, about).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(answer, about).toContain("frame-ancestors 'none'");
  }
  expect(await events()).toEqual(before);
});

it('the dashboard cuts off a client that sends without end, and serves the others meanwhile', async () => {
  const project = await oneTask();
  const place = await dashboard(project);
  const port = Number(new URL(place.origin).port);
  const slow = Array.from({ length: 50 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: ');
  // Refused, and still sending: the answer does not wait for the rest, nor does the connection.
  const endless = connect(port, '127.0.0.1').on('error', () => {});
  endless.write('POST /api/do/skip HTTP/1.1\r\nHost: evil\r\nContent-Length: 99999999\r\n\r\n');
  const sending = setInterval(() => endless.write('x'), 20);
  const gone = new Promise((over) => endless.once('close', over));
  expect(String(await new Promise((got) => endless.once('data', got)))).toMatch(/^HTTP\/1\.1 403 /);
  await gone;
  clearInterval(sending);
  const abort = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { body } = await asked(place, '/api/events', { signal: abort.signal });
      if (body === null) throw new Error('no stream');
      return body.pipeThrough(new TextDecoderStream()).getReader();
    }),
  );
  await project.json('add', 'Told to all');
  await Promise.all(
    streams.map(async (stream) => {
      for (let text = ''; !text.includes('task.added'); ) text += (await stream.read()).value;
    }),
  );
  expect((await asked(place, '/api/now')).status).toBe(200);
  abort.abort();
  await place.stop();
  for (const socket of slow) socket.destroy();
});

it('the dashboard keeps the token to itself', async () => {
  const { place } = await watched();
  const page = await openPage();
  const requests: string[] = [];
  page.on('request', (one) => requests.push(one.url()));
  await page.goto(place.url);
  await page.getByText('Next would be').waitFor();
  const kept = await page.evaluate(
    '({ storage: { ...sessionStorage }, local: { ...localStorage }, cookie: document.cookie, title: document.title, address: location.href, text: document.documentElement.outerHTML })',
  );
  expect(kept).toMatchObject({ storage: { 'ralph-token': place.token }, local: {}, cookie: '' });
  expect(JSON.stringify({ ...(kept as object), storage: null })).not.toContain(place.token);
  expect(requests.join('\n').replace(place.url, '')).not.toContain(place.token);
  for (const path of VIEW_SAMPLES)
    expect(await (await asked(place, path)).text(), path).not.toContain(place.token);
  const other = await elsewhere();
  await page.goto(`http://127.0.0.1:${other.port}/`);
  await page.goBack();
  await page.evaluate(`location.href = 'http://127.0.0.1:${other.port}/'`);
  await page.waitForURL(/hostile|:\d+\/$/);
  await expect.poll(() => other.headers.length).toBeGreaterThan(1);
  expect(JSON.stringify(other.headers)).not.toMatch(new RegExp(`${place.token}|${place.origin}`));
});

/** Goes to a page as a link would; fulfilled when all that it asks for is there. */
function visitor(page: Page): (path: string) => Promise<void> {
  const asking = new Set<Request>();
  page.on('request', (one) => one.url().includes('/api/events') || asking.add(one));
  for (const over of ['requestfinished', 'requestfailed'] as const)
    page.on(over as 'requestfinished', (one) => asking.delete(one));
  return async (path) => {
    await followLink(page, path);
    await expect.poll(() => asking.size, { interval: 10 }).toBe(0);
    await page.evaluate(DRAWN);
  };
}

describe('read-only', () => {
  it('a read-only dashboard refuses every action, and shows no control that acts', async () => {
    const project = await workedProject('Fails', 'Asks', 'Runs');
    const { queue } = project;
    const stuck = { verb: 'stuck', reason: 'No way' } as const;
    for (let tries = 0; tries < LIMITS.max_attempts; tries += 1) await runSession(queue, [stuck]);
    await runSession(queue, [{ verb: 'ask', question: 'Which?', blocking: true, options: ['This'] }]);
    await project.begin('hostile', '');
    await project.json('add', 'One', '--draft');
    await project.json('learn', 'A fact');
    expect(await project.json('list')).toMatchObject(
      ['failed', 'needs_input', 'in_progress', 'draft'].map((status) => ({ status })),
    );
    const place = await dashboardWithin(project, { isReadOnly: true });
    const before = await changesSince(queue, 0);
    for (const { name, input } of ACTION_SAMPLES) {
      const answer = await acted(place, name, input);
      expect([name, answer.status, await answer.json()]).toEqual([
        name,
        403,
        { error: 'This dashboard was started with --read-only; nothing was changed.' },
      ]);
    }
    const page = await openPage();
    const visit = visitor(page);
    await page.goto(place.url);
    await page.getByText('Read-only: nothing can be changed here.').waitFor();
    for (const path of [...PAGES, '/tasks/2', '/tasks/3', '/tasks/4']) {
      await visit(path);
      const controls = await page.locator('button:not([aria-pressed])').allTextContents();
      expect({ path, controls: controls.filter((name) => !HARMLESS.test(name)) }).toEqual({
        path,
        controls: [],
      });
      expect({ path, forms: await page.locator('main form textarea, main form select').count() }).toEqual({
        path,
        forms: 0,
      });
      // A document is shown in one; no key opens another.
      const dialogs = await page.locator('dialog[open]').count();
      for (const key of 'abcdehilmorstuvwxyzADERSTX') await page.keyboard.press(key);
      expect({ path, dialogs: await page.locator('dialog[open]').count() }).toEqual({ path, dialogs });
    }
    expect(await changesSince(queue, 0)).toEqual(before);
  });
});

/** They change what is shown, and nothing else. */
const HARMLESS =
  /^(\d+%|\?|Search|Follow|Fit|Zoom|Close|Clear|Copy|More|Download|Critical|Show|Hide|Reset|[+−×-])/i;

const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
  '\u001b]0;title\u0007\u001b[2J\u001b[31m',
  '\u202eright to left\u202c\u2066',
  'zero\u200bwidth\u2060joined\ufeff',
  '&lt;b&gt; {{constructor}} javascript:alert(1)',
].join(' ');
const LONG = 'w'.repeat(190_000);

/** Hostile wherever somebody may write: a title, a question, an answer, a log, a learning, a definition. */
async function writtenByEnemies(): Promise<TestProject> {
  const project = await workedProject();
  const { root, queue, run_id } = project;
  writeFileSync(join(root, '.ralph/metadata.yaml'), JSON.stringify({ metadata: { title: HOSTILE } }));
  const feature = {
    name: 'auth',
    display_name: HOSTILE,
    description: `${HOSTILE}${LONG}`,
    knowledge_paths: ['docs'],
  };
  for (const folder of ['docs', '.ralph/memory']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'docs/hostile.md'), `# ${HOSTILE}\n${LONG}`);
  const worked = entry('s1', { title: HOSTILE, summary: `${HOSTILE}${LONG}`, files: [HOSTILE] });
  writeFileSync(join(root, '.ralph/memory/auth.jsonl'), `${JSON.stringify(worked)}\n`);
  writeFileSync(join(root, '.ralph/features.yaml'), JSON.stringify({ features: [feature] }));
  await project.json('init', '--new-queue');
  for (const place of [null, 'auth'])
    await project.json('learn', HOSTILE, '--why', HOSTILE, ...(place === null ? [] : ['--feature', place]));
  for (const draft of [[], [], ['--draft']])
    await project.json('add', HOSTILE, '--description', `${HOSTILE}${LONG}`, '--feature', 'auth', ...draft);
  const line = {
    type: 'assistant',
    message: { content: [{ type: 'text', text: `${HOSTILE}${'w'.repeat(2 ** 20)}` }] },
  };
  await project.begin('hostile', `${JSON.stringify(line)}\n${HOSTILE}\n`);
  const ask = { verb: 'ask', question: `${HOSTILE}${LONG}`, blocking: true, options: [HOSTILE] } as const;
  for (const signal of [ask, { verb: 'stuck', reason: `${HOSTILE}${LONG}` } as const])
    await record(queue, { session_id: 'hostile', call_id: null, signal });
  const end = { kind: 'exited', exit_code: 0 } as const;
  await finish(queue, {
    session_id: 'hostile',
    run_id,
    end,
    usage: NO_USAGE,
    effects: effectsWith(),
    limits: LIMITS,
  });
  await project.json('answer', '1', `${HOSTILE}${LONG}`);
  await runSession(queue, [ask, { verb: 'partial', summary: HOSTILE, remaining: HOSTILE }]);
  return project;
}

/** In the browser: opens what is folded away, and an entry of what happened. */
const OPEN_ALL = `for (const one of document.querySelectorAll('main details:not([open]) > summary, main [role=option]'))
  one.click()`;

/** What is read only then. */
const OPENED = new Map([
  ['/tasks/1', '.prompt pre'],
  ['/sessions/hostile', '.whole pre'],
  ['/knowledge?feature=auth', '.journal .card'],
  ['/knowledge?file=docs/hostile.md', 'dialog pre'],
]);

/** In the browser: what the text became. */
const LOOK = `(() => {
  const values = [...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map(({ value }) => value));
  const all = [document.title, document.body.textContent, ...values].join(' ');
  return {
    made: document.querySelectorAll('main img, main script, main iframe, bdi *').length,
    hacked: 'hacked' in globalThis,
    hidden: all.match(/[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b\\u202a-\\u202e\\u2060-\\u2069\\ufeff]/g) ?? [],
    isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  };
})()`;

it('the dashboard shows what people and agents wrote as text, on every page', async () => {
  const place = await dashboardWithin(await writtenByEnemies());
  const page = await openPage({ viewport: { width: 420, height: 800 } });
  const visit = visitor(page);
  await page.goto(place.url);
  await expect.poll(() => page.title()).toContain('<U+202E>');
  const showing: string[] = [];
  for (const path of PAGES) {
    await visit(path);
    // Twice: in what was opened there may be more to open.
    for (let round = 0; round < 2; round++) {
      await page.evaluate(OPEN_ALL);
      await visit(path);
    }
    expect({ path, seen: await page.evaluate(LOOK) }).toEqual({
      path,
      seen: { made: 0, hacked: false, hidden: [], isWide: false },
    });
    const inside = OPENED.get(path);
    if (inside !== undefined) expect(await page.locator(inside).first().textContent()).toContain('<U+202E>');
    if ((await page.textContent('main'))?.includes('<U+202E>')) showing.push(path);
  }
  expect(showing).toEqual(expect.arrayContaining(['/', '/knowledge', '/knowledge?feature=auth']));
});
