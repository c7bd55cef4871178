// The colour of each state where it is drawn: what has the state as its class gets it as --state.
import type { StateWord } from '../../domain/tasks/status-word.ts';

const COLORS: Readonly<Record<StateWord, Readonly<Record<'light' | 'dark', string>>>> = {
  draft: { light: '#6e7781', dark: '#8b949e' },
  pending: { light: '#57606a', dark: '#adbac7' },
  waiting: { light: '#57606a', dark: '#adbac7' },
  ready: { light: '#0b7285', dark: '#56d4dd' },
  in_progress: { light: '#0969da', dark: '#79c0ff' },
  left_behind: { light: '#cf222e', dark: '#ff7b72' },
  needs_input: { light: '#9a6700', dark: '#e3b341' },
  blocked: { light: '#9a6700', dark: '#e3b341' },
  failed: { light: '#cf222e', dark: '#ff7b72' },
  done: { light: '#1a7f37', dark: '#7ee787' },
  skipped: { light: '#6e7781', dark: '#8b949e' },
};

export const stateColors = (scheme: 'light' | 'dark'): string =>
  Object.entries(COLORS)
    .map(([state, look]) => `.${state}{--state:${look[scheme]}}`)
    .join('');
