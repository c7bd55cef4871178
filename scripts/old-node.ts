// After an install, on a Node that better-sqlite3 13 does not run on: installs 12 for it. On any other Node nothing.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { needsOldAddon, oldAddonFolder, openBetterSqlite } from '../src/store/better-sqlite.ts';

function works(): boolean {
  try {
    openBetterSqlite(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

async function install(folder: string): Promise<void> {
  // Within `npm install -g` this one would be global, too.
  const { npm_execpath: npm, npm_config_global: _, ...env } = process.env;
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  execFileSync(command, [...args, 'ci', '--prefix', folder], { env, stdio: 'inherit' });
  // Thirteen files, and Node takes almost a millisecond for each, at every start.
  const entry = join(folder, 'node_modules/better-sqlite3/lib/index.js');
  await build({
    entryPoints: [entry],
    outfile: entry,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    external: ['bindings'],
  });
}

if (needsOldAddon && !works()) {
  const folder = oldAddonFolder();
  console.log(
    `Installing SQLite for Node ${process.version}. Where its binary cannot be downloaded, it is compiled, which takes two minutes.`,
  );
  try {
    await install(folder);
    if (!works()) throw new Error(`${folder} holds nothing that can be loaded.`);
  } catch {
    console.error(
      `SQLite could not be installed for Node ${process.version}; use Node 22.14 or newer, or install Python 3, make and a C++ compiler, then run npm ci again. docs/install.md explains how to install in a closed network.`,
    );
    process.exitCode = 1;
  }
}
