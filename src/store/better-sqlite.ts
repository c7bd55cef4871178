// Which better-sqlite3 this Node can load. Nothing else imports it: a Node that loads the wrong one dies.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite from 'better-sqlite3';

export type Sqlite = BetterSqlite.Database;
export type Statement = BetterSqlite.Statement;

/** better-sqlite3 13 holds its addons, and needs Node-API 10 (Node 22.14). Loading one without it is a segmentation fault. */
export const needsOldAddon = Number(process.versions['napi']) < 10;

const require = createRequire(import.meta.url);
const PACKAGE = dirname(require.resolve('better-sqlite3/package.json'));

/** Where better-sqlite3 12 is compiled for such a Node: beside `dist`, or beside the `node_modules` that Ralph is run with. */
export function oldAddonFolder(): string {
  const name = 'better-sqlite3-12';
  const ours = join(dirname(fileURLToPath(import.meta.url)), '..', name);
  return existsSync(ours) ? ours : resolve(PACKAGE, '../..', name);
}

/** Throws where there is no addon for this Node: only now, and not at the start, so that it can be explained. */
export function openBetterSqlite(path: string, options: BetterSqlite.Options = {}): Sqlite {
  if (!needsOldAddon) return new BetterSqlite(path, { ...options, nativeBinding: addon() });
  const folder = join(oldAddonFolder(), 'node_modules/better-sqlite3');
  const Old: typeof BetterSqlite = require(folder);
  return new Old(path, { ...options, nativeBinding: compiled(folder) });
}

/** By its path: better-sqlite3 itself would ask for a report of the whole process to tell musl from glibc. */
function addon(): string {
  const platform = isMusl() ? 'linuxmusl' : process.platform;
  const shipped = join(PACKAGE, `prebuilds/${platform}-${process.arch}.node`);
  return existsSync(shipped) ? shipped : compiled(PACKAGE);
}

const compiled = (folder: string): string => join(folder, 'build/Release/better_sqlite3.node');

/** An executable names the loader of its C library at its beginning. */
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

/** What to do where no addon could be loaded. */
export const addonRepair = (): string =>
  needsOldAddon
    ? `SQLite is not built for this Node (${process.version}); run npm ci in ${oldAddonFolder()}, or start Ralph with Node 22.14 or newer.`
    : `SQLite cannot be loaded on ${process.platform}-${process.arch}; install Ralph again, or compile it with npx node-gyp rebuild --release --force_build=1 in ${PACKAGE}.`;
