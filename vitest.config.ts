import { defineConfig } from 'vitest/config';

// These add to the schema, which is made once for each process.
const ownSchema = ['test/http/**/*.test.ts', 'test/rest/**/*.test.ts'];

export default defineConfig({
  // Vite would load graphql's ESM build beside the CommonJS one that its users load: one realm needs one copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/database.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      // Nothing of a request lives in a module, so files share the modules that a process has loaded: loading them takes longer than most tests.
      { extends: true, test: { name: 'platform', include: ['test/**/*.test.ts'], exclude: ownSchema, isolate: false } },
      { extends: true, test: { name: 'own schema', include: ownSchema, isolate: true } },
    ],
  },
});
