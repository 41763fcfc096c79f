import { defineConfig } from 'vitest/config';
import { Order } from './test/order.js';

// Each of these has a schema of its own on the platform's builder, of which a process makes one.
const http = ['test/http/**/*.test.ts'];
const rest = ['test/rest/**/*.test.ts'];

/** What is looked for before its tenant is known, and what stands in the directory. */
const cells = [
  'test/contexts/agents/authenticate-agent.test.ts',
  'test/contexts/identity/revoke-api-key.test.ts',
  'test/contexts/identity/signing-key.test.ts',
  'test/contexts/settlement/rail-callback.test.ts',
];

/** Files that make cells of their own: with TEST_CELLS=2 there is nothing else for them to see. */
const ownCells = ['test/cells.test.ts', 'test/cell-command.test.ts', 'test/**/two-cells.test.ts', 'test/platform/cell/**'];

/** Packages bring tests of their own. */
const others = ['test/oracles/node_modules/**'];

export default defineConfig({
  // Vite would load graphql's ESM build beside the CommonJS one that its users load: one realm needs one copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/database.ts'],
    pool: 'forks',
    // More than CI has cores: a worker waits for PostgreSQL a third of its time, and for the processes that it starts. A project cannot have
    // workers of its own beside those of another, which is why the files that start processes are spread among the others.
    // TEST_WORKERS says another number: the projects have their own copy of this one, so --maxWorkers does not reach them.
    maxWorkers: Number(process.env['TEST_WORKERS']) || 3,
    sequence: { sequencer: Order },
    // Longer than anything takes on a machine that is slow or has other work: what must come in time says so itself.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    // Nothing of a request lives in a module, so files share the modules that a process has loaded: loading them takes longer than most tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'platform',
          include: ['test/**/*.test.ts'],
          exclude: [...http, ...rest, ...others, ...(process.env['TEST_CELLS'] === '2' ? ownCells : [])],
        },
      },
      // One tenant in each of two cells: the rest of the files by hand, with TEST_CELLS=2.
      { extends: true, test: { name: 'cells', include: cells, env: { TEST_CELLS: '2' } } },
      { extends: true, test: { name: 'http', include: http } },
      { extends: true, test: { name: 'rest', include: rest } },
    ],
  },
});
