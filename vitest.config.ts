import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would load graphql's ESM build beside the CommonJS one that its users load: one realm needs one copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/database.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
