import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Generous: what is slow here is the disk, and a test that waits for it is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
