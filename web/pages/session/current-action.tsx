import type { Usage } from '../../../src/domain/sessions/session.ts';
import { leftBehindText } from '../../../src/domain/sessions/session-state.ts';
import type { Stage } from '../../../src/ui/train.ts';
import type { SessionView } from '../../../src/ui/views/session.ts';
import { Ago, Text } from '../../parts/labels.tsx';

/** The stored usage of an ended session, or what the stream of a running one has reported so far. */
export const sessionUsage = ({ session: { ended, usage }, stream: { progress } }: SessionView): Usage =>
  ended === null ? { ...usage, ...progress } : usage;

type Props = { value: SessionView /** The tasks that land before it. */; after?: readonly number[] };

/** What an open session does right now, in one line. */
export function CurrentAction({ value, after = [] }: Props) {
  const { session, run, isAlive, stream, gates, gates_begun, limits } = value;
  const { action } = stream.progress;
  if (!isAlive)
    return (
      <p class="doing bad">
        <Text>{leftBehindText(session.root)}</Text>
      </p>
    );
  if (run.kind === 'interactive') return <p class="doing">An MCP client works on it (process {run.pid}).</p>;
  const { phase = null }: typeof session & Stage = session;
  if (phase === 'landing' && after.length > 0)
    return <p class="doing">waits to land after {after.map((id) => `#${id}`).join(' ')}</p>;
  if (session.closing !== null || phase === 'proving' || phase === 'landing') {
    const what = phase === 'landing' ? 'landing' : 'checking the work';
    const all = Math.max(limits?.gates ?? 0, gates.length);
    const passed = gates.length > 0 ? gates.length : Math.max(0, gates_begun - 1);
    return (
      <p class="doing">
        {what}
        {all > 0 && `: gates ${Math.min(passed, all)}/${all}`}
      </p>
    );
  }
  if (action === null) return <p class="doing">starting the agent</p>;
  return (
    <p class="doing">
      <span class="what">
        <Text>{action.text}</Text>
      </span>
      <span class="aside">
        <Ago at={action.at} />
      </span>
    </p>
  );
}
