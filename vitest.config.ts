import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begun last, any of these would leave all other cores idle. */
const LONGEST = ['e2e/faults', 'e2e/', 'cli/hostile-clone', 'supervisor/', 'ui/', 'app/', 'host/'];

/** The longest files first, those on PostgreSQL last: a worker ends where the next file is of another project. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (project.name === 'postgres') return LONGEST.length + 1;
      const found = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 32;

/** Whether there is a folder in memory that is large enough, and from which scripts can be started. */
function hasMemory(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs \S+/m)?.[0] ?? 'noexec';
    const { bavail, bsize } = statfsSync(MEMORY);
    accessSync(MEMORY, constants.W_OK);
    return !mount.includes('noexec') && bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

// Tests kill processes, never the machine: none of them needs to wait for a disk.
if (process.env['TMPDIR'] === undefined && hasMemory()) process.env['TMPDIR'] = MEMORY;

// npm puts the project's own programs on the PATH. A test that wants Claude Code names it; no other test starts it by chance.
process.env['PATH'] = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

const common = {
  // Generous: a test that waits for a busy machine is not wrong.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
  // Each file would load all of Ralph anew, and no test leaves anything behind in its modules.
  isolate: false,
  setupFiles: ['test/support/git-starter.ts'],
  // After each fork the kernel copies every page that the worker writes to, and it writes all over its young objects.
  execArgv: ['--max-semi-space-size=4'],
};

/** While somebody writes code, a property is tried a quarter as often (test/support/tries.ts). */
const QUICK_TRIES = '0.25';

/** Not among the quick tests: with the real client, a real browser, or rounds of chaos. */
const WHOLE = ['test/e2e/**/*.test.ts', 'test/ui/**/*.test.ts'];
/** Neither among them: with sessions of a supervisor, or with many processes: agents, gates, git, servers. */
const SESSIONS = [
  'test/supervisor/**/*.test.ts',
  'test/queue/processes.test.ts',
  'test/server/{processes,http,lifetime,faults}.test.ts',
  'test/context/many-sessions.test.ts',
  'test/cli/{hostile-clone,look-back,packed,wrong-input,internal/watcher}.test.ts',
  'test/cli/commands/*/{diff,doctor,doctor-slots,log,run-jobs,ui,worker}.test.ts',
  'test/app/{lost-queue,sessions/client-slots,sessions/session-server,definitions/consent,definitions/definitions}.test.ts',
  'test/host/{work,commits,in-place,sandbox,slots,landing,persons-branch}/*.test.ts',
  'test/host/git/work-tree.test.ts',
  'test/launch.test.ts',
  'test/store/restore-processes.test.ts',
];

/**
 * Once more on PostgreSQL: what is asked of a queue, its processes included. `RALPH_TEST_DATABASE=postgres npm test` runs all others
 * there too. Of test/store these are about one database alone:
 * - open, restore, restore-processes: files that are missing, damaged, replaced or removed. A server has none of them; what can
 *   happen to one is in postgres*.test.ts, and schema-postgres.sql is compared there.
 * - address, server-clock: pure, without a database. patient: a store that stops answering, whichever it is.
 */
const ON_BOTH = ['test/queue/**/*.test.ts', 'test/store/claim.test.ts', 'test/store/mask-parameters.test.ts'];
/** They forge a file of SQLite; the same code reads the rows of PostgreSQL. */
const FORGERIES = ['test/queue/sessions/verify-evidence.test.ts', 'test/queue/sessions/gate-results.test.ts'];
const ONLY_POSTGRES = ['test/store/postgres*.test.ts', 'test/cli/commands/setup/database.test.ts'];
const POSTGRES = {
  test: {
    ...common,
    name: 'postgres',
    include: [...ON_BOTH, ...ONLY_POSTGRES],
    exclude: [...configDefaults.exclude, ...FORGERIES],
    env: { RALPH_TEST_DATABASE: 'postgres' },
    setupFiles: [...common.setupFiles, 'test/support/skip-without-postgres.ts'],
  },
};

export default defineConfig(({ mode }) => {
  const isQuick = mode === 'quick';
  return {
    test: {
      globalSetup: ['test/support/build.ts', 'test/support/postgres-server.ts', 'test/support/browser.ts'],
      sequence: { sequencer: LongestFirst },
      // Most tests wait for processes of their own: with no more workers than cores, cores would idle.
      // As a number: Vitest takes no percentage above 100. A worker more than this loads Ralph for no gain.
      maxWorkers: Math.ceil(1.5 * availableParallelism()),
      // From the second run on, no file is transformed that has not changed.
      experimental: { fsModuleCache: true },
      // As few as can be: each of them transforms all of Ralph, and each worker loads it once more for each.
      projects: [
        {
          test: {
            ...common,
            name: isQuick ? 'quick' : 'all',
            env: isQuick ? { RALPH_TEST_TRIES: process.env['RALPH_TEST_TRIES'] ?? QUICK_TRIES } : {},
            include: ['test/**/*.test.ts'],
            exclude: [
              ...configDefaults.exclude,
              ...ONLY_POSTGRES,
              ...(isQuick ? [...WHOLE, ...SESSIONS] : []),
            ],
          },
        },
        ...(isQuick ? [] : [POSTGRES]),
      ],
    },
  };
});
