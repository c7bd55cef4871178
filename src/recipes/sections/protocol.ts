import { line } from '../../domain/text/markdown.ts';
import type { Section } from '../recipe.ts';

const VERBS = `# How you report

You report through Ralph's MCP tools. End every session with exactly one closing verb; the last one counts.

| closing verb | when |
|---|---|
| \`done(summary)\` | every criterion is met and the checks pass on your machine; if no file had to change, say why in \`no_change_reason\`, or it is refused |
| \`partial(summary, remaining)\` | useful work is in the tree and more remains |
| \`stuck(reason)\` | you cannot make progress |

Along the way, as often as it helps:

| verb | when |
|---|---|
| \`ask(question, blocking)\` | only a person can decide; if blocking, call \`partial\` next |
| \`blocked(on, kind)\` | another task or something external must come first; then call \`partial\` |
| \`learned(text, kind)\` | you found out what the next session should know |
| \`flag(what, severity, category)\` | you met a problem that is not part of this task; \`blocking\`: nobody should go on before a person looked |
| \`suggest(what, kind, why)\` | work that somebody should do, but not you, not now |`;

const ADD_CONTEXT_FILE =
  '| `add_context_file(path, scope)` | you had to find a file that later sessions need: those of this `task`, or of its whole `feature` |';

const SIGILS = `# How you report

You report by tags in your last message. A tag in a quotation, between back-ticks or in a code block does not count.

- \`<task-done>ID</task-done>\`: the assigned task is complete and the checks pass.
- \`<task-done no-change="why">ID</task-done>\`: it is complete and no file had to change. A person approves that; without a reason it is refused.
- \`<task-failed>ID</task-failed>\`: it cannot be completed; say why in plain words before the tag.
- \`<promise>COMPLETE</promise>\`: the whole project is done; Ralph verifies it.
- \`<promise>FAILURE</promise>\`: nothing can go on, whatever is tried. The run stops, and a person looks.

Emit \`<task-done>\` or \`<task-failed>\` in every session.`;

export const protocol: Section = {
  name: 'protocol',
  question: 'How do I report?',
  source: 'the protocol of the agent; config: ladder',
  render: ({ protocol: spoken, isLaunched, models }) =>
    [spoken === 'verbs' ? verbs(isLaunched) : SIGILS, ...(models.length > 1 ? [nextModel(models)] : [])].join(
      '\n\n',
    ),
};

/** An interactive client has no add_context_file: it pays for the description of every tool. */
const verbs = (isLaunched: boolean): string => (isLaunched ? `${VERBS}\n${ADD_CONTEXT_FILE}` : VERBS);

const nextModel = (models: readonly string[]): string =>
  `If another model should take the next session of this task, end your last message with \`<next-model>${models.map(line).join('|')}</next-model>\`, one of these, on a line of its own.`;
