import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Generous: what is slow here is the disk, and a test that waits for it is not wrong.
    testTimeout: 60_000,
    // Most tests wait for processes of their own: a core left over would idle.
    maxWorkers: '100%',
    hookTimeout: 60_000,
  },
});
