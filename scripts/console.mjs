// How vite builds the console and the page of receipts (src/console) into dist/console, and serves them while they are worked on.
//   npm run dev:console   the console with changes at once, on top of a sandbox that runs (npm run dev)
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const sandbox = process.env['SANDBOX_URL'] ?? 'http://127.0.0.1:4001';

export default defineConfig({
  root: at('src/console'),
  base: '/console/',
  cacheDir: at('node_modules/.vite-console'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    rolldownOptions: { input: [at('src/console/index.html'), at('src/console/receipt.html')] },
    outDir: at('dist/console'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing stands in the page itself: its policy lets scripts and styles of this server run, and no others.
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'assets/licenses.md' },
    reportCompressedSize: false,
  },
  // What the console asks, and the pages that it links to. Its own first page has no slash at the end.
  server: { proxy: { '^/(graphql|docs|v1)\\b': sandbox, '^/console$': { target: sandbox, bypass: () => '/console/' } } },
});
