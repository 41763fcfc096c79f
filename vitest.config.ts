import { defineConfig } from 'vitest/config';
import { Order } from './test/order.js';

// Each of these has a schema of its own on the platform's builder, of which a process makes one.
const http = ['test/http/**/*.test.ts'];
const rest = ['test/rest/**/*.test.ts'];

export default defineConfig({
  // Vite would load graphql's ESM build beside the CommonJS one that its users load: one realm needs one copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/database.ts'],
    pool: 'forks',
    // More than CI has cores: a worker waits for PostgreSQL a third of its time, and for the processes that it starts. A project cannot have
    // workers of its own beside those of another, which is why the files that start processes are spread among the others.
    maxWorkers: 3,
    sequence: { sequencer: Order },
    // Longer than anything takes on a machine that is slow or has other work: what must come in time says so itself.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Nothing of a request lives in a module, so files share the modules that a process has loaded: loading them takes longer than most tests.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'platform', include: ['test/**/*.test.ts'], exclude: [...http, ...rest] } },
      { extends: true, test: { name: 'http', include: http } },
      { extends: true, test: { name: 'rest', include: rest } },
    ],
  },
});
