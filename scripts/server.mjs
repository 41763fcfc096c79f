// How rolldown bundles the server into dist/: our modules and the packages that they import, in a few files, for a start that reads 2,300
// files takes twice as long. What is imported only when it is needed is a file of its own, or stays in node_modules.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** A module finds files from where it would stand in dist/ without bundling. */
const keepPlaces = {
  name: 'keep-places',
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code, id) {
      const place = path.relative(source, id).replaceAll(path.sep, '/').replace(/\.ts$/, '.js');
      return { code: code.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url).href`), map: null };
    },
  },
};

/** Packages that are installed for some uses only, or that a request may never ask for. */
const keepPackagesOfLater = {
  name: 'keep-packages-of-later',
  resolveId: {
    filter: { id: /^[^./]/ },
    handler: (id, _, { kind }) => (kind === 'dynamic-import' ? { id, external: true } : null),
  },
};

export default defineConfig({
  input: Object.fromEntries(['main', 'cli', 'platform/schema-thread'].map((name) => [name, path.join(source, `${name}.ts`)])),
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [keepPlaces, keepPackagesOfLater],
  logLevel: 'silent',
  output: {
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[hash].js',
    // Names of functions and classes stand in logs and metrics.
    keepNames: true,
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
