import { describe, expect, it } from 'vitest';
import { askedLevel, chooseLevel, probeBash } from '../../src/app/sandbox.ts';
import type { Probe } from '../../src/host/sandbox/probe.ts';
import { NO_SANDBOX } from '../support/sandbox.ts';

const WORKS: Probe = { works: true };
const LACKS: Probe = { works: false, reason: 'bubblewrap is not installed', fix: 'Install it.' };
const choice = { asked: null, isClaude: true, process: WORKS, bash: WORKS } as const;

describe('the level of the sandbox', () => {
  it('is process where that works, and nobody is told', () => {
    expect(chooseLevel(choice)).toEqual({ level: 'process', notice: null });
  });

  it('is bash for Claude Code and off for other agents where process does not work, with the reason and the fix', () => {
    const bash = chooseLevel({ ...choice, process: LACKS });
    expect(bash).toMatchObject({
      level: 'bash',
      notice: expect.stringContaining('bubblewrap is not installed. Install it.'),
    });
    expect(chooseLevel({ ...choice, process: LACKS, isClaude: false })).toMatchObject({ level: 'off' });
    expect(chooseLevel({ ...choice, process: LACKS, bash: LACKS }).notice).toContain('without a sandbox');
  });

  it('is refused with the reason and the fix if it was asked for and does not work', () => {
    const refused = /does not work here: bubblewrap is not installed\. Install it\./;
    expect(() => chooseLevel({ ...choice, asked: 'process', process: LACKS })).toThrow(refused);
    expect(() => chooseLevel({ ...choice, asked: 'bash', bash: LACKS })).toThrow(refused);
    expect(() => chooseLevel({ ...choice, asked: 'bash', isClaude: false })).toThrow(
      'belongs to Claude Code',
    );
  });

  it('is what the configuration names, else what the person names in a variable', () => {
    const config = { sandbox: { ...NO_SANDBOX, level: 'process' as const } };
    expect(askedLevel(config, { RALPH_SANDBOX: 'off' })).toBe('process');
    expect(askedLevel({ sandbox: NO_SANDBOX }, { RALPH_SANDBOX: 'off' })).toBe('off');
    expect(askedLevel({ sandbox: NO_SANDBOX }, {})).toBeNull();
    expect(() => askedLevel({ sandbox: NO_SANDBOX }, { RALPH_SANDBOX: 'of' })).toThrow(
      'there are off, bash and process',
    );
  });

  it('of Claude Code needs socat on Linux, and nothing on macOS', () => {
    expect(probeBash({ PATH: '/nonexistent' }, WORKS, 'linux')).toMatchObject({
      reason: 'socat is not installed',
    });
    expect(probeBash({}, LACKS, 'darwin')).toEqual(WORKS);
    expect(probeBash({}, LACKS, 'linux')).toEqual(LACKS);
  });
});
