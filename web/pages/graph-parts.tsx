import { Component } from 'preact';
import { STATE_SYMBOLS, type StateWord } from '../../src/domain/status-word.ts';
import { visible } from '../../src/domain/text.ts';

/** Where it stands to the task that somebody looks at. */
export type Kin = 'chosen' | 'past' | 'future' | '';

/** Drawn anew only when something of it has changed: there may be thousands, and one choice may concern each. */
abstract class Still<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((name) => next[name] !== this.props[name]);
  }
}

type NodeProps = {
  id: number;
  title: string;
  state: StateWord;
  critical: boolean;
  color: string | null;
  /** What a screen reader says. */
  name: string;
  kin: Kin;
  isTabStop: boolean;
  x: number;
  y: number;
};

export class Node extends Still<NodeProps> {
  render({ id, title, state, critical, color, name, kin, isTabStop, x, y }: NodeProps) {
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
          <span aria-hidden="true">{STATE_SYMBOLS[state]}</span> {state.replace('_', ' ')}
        </span>
      </button>
    );
  }
}

type EdgeProps = { path: string; look: string };

export class Edge extends Still<EdgeProps> {
  render({ path, look }: EdgeProps) {
    return <path d={path} class={look} />;
  }
}
