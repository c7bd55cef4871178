// Loads the better-sqlite3 that fits this Node. Nothing else imports it: the wrong one crashes Node.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite from 'better-sqlite3';

export type Sqlite = BetterSqlite.Database;
export type Statement = BetterSqlite.Statement;

/** The addons of better-sqlite3 13 need Node-API 10 (Node 22.14). An older Node crashes when it loads one. */
export const needsOldAddon = Number(process.versions['napi']) < 10;

const require = createRequire(import.meta.url);
const PACKAGE = dirname(require.resolve('better-sqlite3/package.json'));

/** Where better-sqlite3 12 is compiled for an older Node: beside `dist`, or beside the `node_modules` in use. */
export function oldAddonFolder(): string {
  const name = 'better-sqlite3-12';
  const ours = join(dirname(fileURLToPath(import.meta.url)), '..', name);
  return existsSync(ours) ? ours : resolve(PACKAGE, '../..', name);
}

/** Throws if no addon fits this Node. It loads here and not at the start, so that Ralph can explain the failure. */
export function openBetterSqlite(path: string, options: BetterSqlite.Options = {}): Sqlite {
  if (!needsOldAddon) return new BetterSqlite(path, { ...options, nativeBinding: addon() });
  const folder = join(oldAddonFolder(), 'node_modules/better-sqlite3');
  const Old: typeof BetterSqlite = require(folder);
  return new Old(path, { ...options, nativeBinding: compiled(folder) });
}

/** Names the path itself: better-sqlite3 would create a whole process report to tell musl from glibc. */
function addon(): string {
  const platform = isMusl() ? 'linuxmusl' : process.platform;
  const shipped = join(PACKAGE, `prebuilds/${platform}-${process.arch}.node`);
  return existsSync(shipped) ? shipped : compiled(PACKAGE);
}

const compiled = (folder: string): string => join(folder, 'build/Release/better_sqlite3.node');

/** The beginning of an executable names the loader of its C library. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const start = Buffer.alloc(2048);
  const node = openSync(process.execPath, 'r');
  try {
    readSync(node, start, 0, start.length, 0);
  } finally {
    closeSync(node);
  }
  return start.includes('/ld-musl-');
}

/** The repair sentence for an addon that cannot be loaded. */
export const addonRepair = (): string =>
  needsOldAddon
    ? `SQLite is not built for this Node (${process.version}); run ralph doctor --fix (or npx -y ralph-mcp doctor --fix), or start Ralph with Node 22.14 or newer.`
    : `SQLite cannot be loaded on ${process.platform}-${process.arch}; install Ralph again, or compile it with npx node-gyp rebuild --release --force_build=1 in ${PACKAGE}.`;
