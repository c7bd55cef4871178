import { type Environment, startAndForget } from './spawn.ts';

const OPENERS = ['xdg-open', 'open', 'wslview'];

/** False where nothing that could open it was found. */
export const openBrowser = (url: string, cwd: string, env: Environment): boolean =>
  OPENERS.some((opener) => startAndForget(opener, [url], { cwd, env }));
