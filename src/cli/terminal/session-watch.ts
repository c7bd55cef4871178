// What a person sees while one session works: a line that is redrawn, and nothing in a pipe.
import type { CommandContext } from '../../app/world.ts';
import { stopwatch } from '../../domain/text/amounts.ts';
import type { Observation } from '../../supervisor/agents/agent.ts';
import { oneLine, shortModel } from '../../text/terminal/style.ts';
import { clip } from '../../text/terminal/table.ts';
import { stickyFooter } from './sticky-footer.ts';

export type SessionWatch = { hear(observation: Observation): void; close(): void };

export function watchSession(
  { pipes, asJson, now }: Pick<CommandContext, 'pipes' | 'asJson' | 'now'>,
  what: string,
  model: string,
): SessionWatch {
  if (asJson || pipes.screen === null) return { hear: () => {}, close: () => {} };
  const began = now();
  let turns = 0;
  let action = 'Ctrl-C stops it';
  const pane = stickyFooter(pipes.screen, ({ columns }) => [
    clip(
      `▶ ${what}  ${stopwatch(now() - began)}  turn ${turns}  ${shortModel(model)}  ${oneLine(action)}`,
      columns,
    ),
  ]);
  pane.touch();
  return {
    hear: (observation) => {
      if (observation.kind !== 'turn') return;
      turns += 1;
      action = observation.action ?? action;
      pane.touch();
    },
    close: () => pane.close(),
  };
}
