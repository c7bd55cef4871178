// Checks which sandbox agents and gates would have, and says how to get a stronger one.
import { readLevel } from '../../app/sessions/sandbox.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config, SandboxLevel } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';

const WORDS: Readonly<Record<SandboxLevel, string>> = {
  off: 'off: agents and gates can read and change what you can',
  bash: 'bash: the commands of agents run in the sandbox of Claude Code; clients and gates do not',
  process: 'process: agents, gates, setup and hooks run in namespaces of their own (bubblewrap)',
  command: 'command: agents, gates, setup and hooks run in the wrapper of the configuration',
};

export async function checkSandbox(
  { env }: Pick<CommandContext, 'env'>,
  config: Config,
  platform: string = process.platform,
): Promise<string> {
  const { level, notice } = await readLevel(env, config);
  if (notice === null) return WORDS[level];
  // Only Linux has more to offer.
  if (platform === 'linux') throw new Refusal(notice);
  return notice;
}

/** A sandbox that does not work has a finding of its own. */
export const isWalled = async ({ env }: Pick<CommandContext, 'env'>, config: Config): Promise<boolean> => {
  try {
    return (await readLevel(env, config)).level === 'process';
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
};
