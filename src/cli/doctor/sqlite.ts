// Checks that SQLite can be loaded, and installs it for an old Node, whose binary the package cannot hold.
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import { runToEnd } from '../../host/processes/spawn.ts';
import { installFolder, loadSqlite } from '../../queue/native-module.ts';

/** Compiling takes two minutes, on a busy machine several times that. */
const INSTALL_TIMEOUT_MS = 30 * 60_000;

export async function checkSqlite(context: CommandContext, fix: boolean): Promise<string> {
  try {
    return loadSqlite();
  } catch (error) {
    const folder = installFolder();
    if (!fix || folder === null) throw error;
    await install(folder, context);
    return `${loadSqlite()}, installed for Node ${process.version}`;
  }
}

async function install(folder: string, { env, pipes }: CommandContext): Promise<void> {
  const npm = findExecutable('npm', env['PATH']);
  if (npm === null) throw new Refusal('npm was not found; install npm, or use Node 22.14 or newer.');
  pipes.log(
    `ralph: Installing SQLite for Node ${process.version}. If its binary cannot be downloaded, it is compiled, which takes minutes.\n`,
  );
  // npm starts Ralph within `npm install -g` or npx with settings of its own, which would be this install's as well.
  const own = Object.entries(env).filter(([name]) => !/^npm_(config_(global|prefix)|package_)/.test(name));
  const { code, stderr } = await runToEnd(npm, ['ci', '--prefix', folder], {
    cwd: folder,
    env: Object.fromEntries(own),
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (code === 0) return;
  const reason = /^npm error (?:code )?(E\w+)/m.exec(stderr)?.[1];
  throw new Refusal(
    `SQLite could not be installed for Node ${process.version}${reason === undefined ? '' : ` (${reason})`}; use Node 22.14 or newer, or install Python 3, make and a C++ compiler and make ${folder} writable, then run ralph doctor --fix again.`,
  );
}
