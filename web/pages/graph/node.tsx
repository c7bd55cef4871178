import { Component } from 'preact';
import type { DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { STATE_SYMBOLS, type StateWord, stateName } from '../../../src/domain/tasks/status.ts';
import { visible } from '../../../src/domain/text/text.ts';
import { stageText } from '../../parts/stage.ts';

/** Draws again only when a property has changed: a graph may have hundreds, and one choice renders each. */
export abstract class PureComponent<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((name) => next[name] !== this.props[name]);
  }
}

/** How a task relates to the chosen one: it leads there, follows from it, or neither. */
export type Kin = 'chosen' | 'past' | 'future' | '';

type NodeProps = {
  id: number;
  title: string;
  state: StateWord;
  /** More precise than the name of its state. */
  word: string | null;
  slot: number | null;
  critical: boolean;
  color: string | null;
  /** What a screen reader says. */
  name: string;
  kin: Kin;
  isTabStop: boolean;
  x: number;
  y: number;
};

export class Node extends PureComponent<NodeProps> {
  render({ id, title, state, word, slot, critical, color, name, kin, isTabStop, x, y }: NodeProps) {
    return (
      <button
        type="button"
        class={`node ${state}${critical ? ' critical' : ''}${kin === '' ? '' : ` kin ${kin}`}`}
        data-id={id}
        aria-label={name}
        aria-pressed={kin === 'chosen'}
        tabIndex={isTabStop ? 0 : -1}
        style={{
          left: `${x}px`,
          top: `${y}px`,
          '--state': `var(--${state})`,
          '--tone': color ?? 'transparent',
        }}
      >
        <span class="id">#{id}</span> <bdi class="title">{visible(title)}</bdi>{' '}
        <span class="state">
          <span aria-hidden="true">{STATE_SYMBOLS[state]}</span> {word ?? stateName(state)}
          {slot !== null && <span class="slot">, slot {slot}</span>}
        </span>
      </button>
    );
  }
}

/** "#3 Webhook retry, failed, waits for #1, 2 wait for it" */
export function nodeLabel({ id, title, state, stage, critical, waits, waiting }: DrawnNode): string {
  const parts = [
    `#${id} ${visible(title)}`,
    `${stateName(state)}${stage === null ? '' : stageText(stage)}`,
    ...(waits.length > 0 ? [`waits for ${waits.map((one) => `#${one}`).join(' and ')}`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for it`] : []),
    ...(critical ? ['on the critical path'] : []),
  ];
  return parts.join(', ');
}
