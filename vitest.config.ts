import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The table of faults takes the longest by far: begun last, it would leave all other cores idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): number => (moduleId.includes('/e2e/') ? 1 : 0);
    return (await super.sort(files)).sort((one, other) => isLong(other) - isLong(one));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    sequence: { sequencer: LongestFirst },
    // Generous: what is slow here is the disk, and a test that waits for it is not wrong.
    testTimeout: 60_000,
    // Most tests wait for the disk and for processes of their own: with no more workers than cores, cores would idle.
    maxWorkers: '150%',
    // Each file would load all of Ralph anew, and no test leaves anything behind in its modules.
    isolate: false,
    hookTimeout: 60_000,
  },
});
