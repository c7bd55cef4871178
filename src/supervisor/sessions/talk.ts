// A person talks with Claude Code on the terminal: the recipe is the system prompt, and Ralph's tools change the real queue.

import { join } from 'node:path';
import type { RecipeName } from '../../domain/context.ts';
import type { SessionEnd } from '../../domain/sessions/session.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { runOnTerminal } from '../../host/processes/spawn.ts';
import { planningDir, promptFile, TRANSIENT } from '../../host/session-folder.ts';
import { recordPlanning } from '../../queue/planning/planning.ts';
import { onTerminal } from '../agents/claude.ts';
import { ownServer } from '../agents/launch-spec.ts';
import { type AgentEnd, judgeFailure, NOT_RUN, toSessionEnd } from '../agents/session-end.ts';
import type { PlanningInput } from '../planning.ts';

type TalkSubject = {
  recipe: Extract<RecipeName, 'yap' | 'ramble' | 'discuss'>;
  topic: string;
  /** Null for the model that the person has chosen in Claude Code. */
  model: string | null;
};

export async function holdTalk(
  input: PlanningInput,
  { recipe, topic, model }: TalkSubject,
): Promise<{ end: AgentEnd; ended: SessionEnd }> {
  const { queue, root, env, stateDir } = input;
  const session_id = crypto.randomUUID();
  const { system, prompt } = await input.writePrompt(recipe, topic === '' ? {} : { input: topic });
  const folder = planningDir(stateDir, session_id);
  const file = promptFile(folder);
  const ready_file = join(folder, 'ready');
  await writeFileWhole(file, `${system}${prompt}`, TRANSIENT);
  // No session id: the person sees what is recorded and decides what is queued.
  const ralph = ownServer(input, { RALPH_RECIPE: recipe, RALPH_READY_FILE: ready_file });
  const [command = '', ...args] = onTerminal({ ralph, prompt_file: file, ready_file, model, topic });
  const exit = await runOnTerminal(command, args, {
    cwd: root,
    env: { ...env, CLAUDE_CODE_MCP_ALLOWLIST_ENV: '1' },
  });
  const end = await judgeFailure({ ...NOT_RUN, exit_code: exit.code, error: exit.error }, async () => true);
  const ended = toSessionEnd(end, { changed_files: false, isStopped: false });
  const proposed = { features: 0, added: 0, changed: 0 };
  // The usage is empty: only Claude Code knows the cost.
  await recordPlanning(queue, {
    session_id,
    recipe,
    model: model ?? 'default',
    end: ended,
    usage: end.usage,
    proposed,
  });
  return { end, ended };
}
