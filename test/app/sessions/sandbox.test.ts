import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import {
  agentHosts,
  askedLevel,
  chooseLevel,
  openProjectSandbox,
  probeBash,
} from '../../../src/app/sessions/sandbox.ts';
import { findProject } from '../../../src/host/project.ts';
import type { Probe } from '../../../src/host/sandbox/probe.ts';
import { readConfig } from '../../../src/project/read-config.ts';
import { openTestQueue } from '../../support/queue.ts';
import { initialised } from '../../support/ralph.ts';
import { itEncloses, NO_SANDBOX } from '../../support/sandbox.ts';

const WORKS: Probe = { works: true };
const LACKS: Probe = { works: false, reason: 'bubblewrap is not installed', fix: 'Install it.' };
const choice = { asked: null, isClaude: true, process: WORKS, bash: WORKS } as const;

describe('the level of the sandbox', () => {
  it('the level of the sandbox is process where that works, without a message', () => {
    expect(chooseLevel(choice)).toEqual({ level: 'process', notice: null });
  });

  it('the level of the sandbox is bash for Claude Code and off for other agents where process does not work, with the reason and the fix', () => {
    const bash = chooseLevel({ ...choice, process: LACKS });
    expect(bash).toMatchObject({
      level: 'bash',
      notice: expect.stringContaining('bubblewrap is not installed. Install it.'),
    });
    expect(chooseLevel({ ...choice, process: LACKS, isClaude: false })).toMatchObject({ level: 'off' });
    expect(chooseLevel({ ...choice, process: LACKS, bash: LACKS }).notice).toContain('without a sandbox');
  });

  it('the level of the sandbox is refused with the reason and the fix if it was asked for and does not work', () => {
    const refused = /does not work here: bubblewrap is not installed\. Install it\./;
    expect(() => chooseLevel({ ...choice, asked: 'process', process: LACKS })).toThrow(refused);
    expect(() => chooseLevel({ ...choice, asked: 'bash', bash: LACKS })).toThrow(refused);
    expect(() => chooseLevel({ ...choice, asked: 'bash', isClaude: false })).toThrow(
      'belongs to Claude Code',
    );
  });

  it('the level of the sandbox is what the configuration names, else what the person names in a variable', () => {
    const config = { sandbox: { ...NO_SANDBOX, level: 'process' as const } };
    expect(askedLevel(config, { RALPH_SANDBOX: 'off' })).toBe('process');
    expect(askedLevel({ sandbox: NO_SANDBOX }, { RALPH_SANDBOX: 'off' })).toBe('off');
    expect(askedLevel({ sandbox: NO_SANDBOX }, {})).toBeNull();
    expect(() => askedLevel({ sandbox: NO_SANDBOX }, { RALPH_SANDBOX: 'of' })).toThrow(
      'there are off, bash and process',
    );
  });

  it('the level of the sandbox of Claude Code needs socat on Linux, and nothing on macOS', () => {
    expect(probeBash({ PATH: '/nonexistent' }, WORKS, 'linux')).toMatchObject({
      reason: 'socat is not installed',
    });
    expect(probeBash({}, LACKS, 'darwin')).toEqual(WORKS);
    expect(probeBash({}, LACKS, 'linux')).toEqual(LACKS);
  });
});

itEncloses('agents can write the definitions of the checkout only if the configuration says so', async () => {
  const { root, home } = await initialised();
  const env = { HOME: home, PATH: process.env['PATH'] };
  const program = { node: process.execPath, script: inject('ralph') };
  const open = async (sandbox: Partial<typeof NO_SANDBOX>): Promise<boolean> => {
    const config = { ...(await readConfig(root)), sandbox: { ...NO_SANDBOX, ...sandbox } };
    const project = { ...findProject(root), queue: await openTestQueue() };
    return (await openProjectSandbox({ env, program }, project, config)).agentsCanWriteHere;
  };
  expect(await open({ level: 'process' })).toBe(false);
  expect(await open({ level: 'process', write: ['/var/cache'] })).toBe(false);
  expect(await open({ level: 'process', write: [root] })).toBe(true);
  expect(await open({ level: 'process', write: [join(root, '.ralph/tasks.yaml')] })).toBe(true);
  expect(await open({ level: 'command', command: ['env'] })).toBe(true);
  expect(await open({ level: 'off' })).toBe(true);
});

it('an agent may reach the address of its model in a variable, and no other agent may', () => {
  const env = { GOOGLE_GEMINI_BASE_URL: 'http://models.example.org:81/x', OPENAI_BASE_URL: 'no address' };
  const settings = { agent_settings: { codex: { base_url: 'https://gateway.example.org/v1' } } };
  const hosts = agentHosts(env, settings, ['gemini', 'qwen']);
  expect(hosts).toEqual(
    expect.arrayContaining(['models.example.org:81', 'gateway.example.org:443', 'openrouter.ai']),
  );
  expect(agentHosts(env, settings, ['codex', 'mine'])).not.toContain('models.example.org:81');
});
