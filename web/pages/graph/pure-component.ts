import { Component } from 'preact';

/** Drawn anew only when something of it has changed: there may be hundreds, and one choice may concern each. */
export abstract class Still<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((name) => next[name] !== this.props[name]);
  }
}
