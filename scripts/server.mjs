// How rolldown bundles the server into dist/: our modules and the packages that they import, in a few files, for a start that reads 2,300
// files takes twice as long. What is imported only when it is needed is a file of its own, or stays in node_modules.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** Binaries of WebAssembly beside a module of a package, which reads them when it is loaded. */
function keepBinaries(plugin, folder, place) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.wasm')))
    plugin.emitFile({ type: 'asset', fileName: `${place}/${name}`, source: readFileSync(path.join(folder, name)) });
}

/** A module finds files from where it would stand in dist/ without bundling. */
const keepPlaces = {
  name: 'keep-places',
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code, id) {
      const own = path.relative(source, id).replaceAll(path.sep, '/').replace(/\.ts$/, '.js');
      const place = own.replace(/^.*\bnode_modules\//, 'packages/');
      if (place !== own) keepBinaries(this, path.dirname(id), path.dirname(place));
      return { code: code.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url).href`), map: null };
    },
  },
};

/** Packages of which a small part is used: it becomes a file of its own. The whole of them is a third of what an installation weighs. */
const isBundledInPart = (id) => /^(@prisma\/client|viem|@x402|@noble\/curves|@graphql-yoga)\//.test(id);

/** Packages that are installed for some uses only, or that a request may never ask for. */
const keepPackagesOfLater = {
  name: 'keep-packages-of-later',
  resolveId: {
    filter: { id: /^[^./]/ },
    async handler(id, importer, { kind }) {
      if (kind !== 'dynamic-import') return null;
      // Those that are optional may be absent.
      const found = isBundledInPart(id) ? await this.resolve(id, importer, { skipSelf: true }) : null;
      return found ?? { id, external: true };
    },
  },
};

export default defineConfig({
  input: Object.fromEntries(
    ['main', 'cli', 'agent-payments', 'platform/schema-thread'].map((name) => [name, path.join(source, `${name}.ts`)]),
  ),
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
