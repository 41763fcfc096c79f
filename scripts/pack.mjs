// Makes the packages that are published: the server's, with its program, and the SDK's.
//   node scripts/pack.mjs            writes both as .tgz beside package.json, and says their names; --to DIR: there
//   node scripts/pack.mjs --into DIR writes the files of the server's package into DIR, as an image takes them
//
// dist/ is bundled (decision 0058), so the package asks only for what its files still import, and what `overrides` change is in the bundle. A
// shrinkwrap is not in it: npm 11 would install the PostgreSQL of every platform from it, 600 MB.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);

/** The name of the package that a module is of. */
const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** The packages that the bundle imports when it needs them. `require` of a bundled package stands in branches that Node never takes. */
function importedPackages(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => /^[^/]*\.js$|^platform\//.test(name) && name.endsWith('.js'));
  const specifiers = files.flatMap((name) => [
    ...readFileSync(path.join(folder, name), 'utf8').matchAll(
      /\b(?:import|createRequire\(\w+\)\.resolve)\("([^"./][^"]*)"\)|^import [^"]*from "([^"./][^"]*)"/gm,
    ),
  ]);
  const names = specifiers
    .map(([, dynamic, fixed]) => dynamic ?? fixed)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  return new Set(names.map(packageOf));
}

/** What is published of package.json. Scripts are for a checkout. */
function publishedManifest({ dependencies, optionalDependencies, ...manifest }, imported) {
  const kept = ['name', 'version', 'description', 'license', 'repository', 'type', 'bin', 'engines'];
  const chosen = (all, isChosen) => Object.fromEntries(Object.entries(all).filter(([name]) => isChosen(name)));
  const lost = [...imported].filter((name) => !(name in dependencies) && !(name in optionalDependencies));
  if (lost.length > 0) throw new Error(`dist/ imports ${lost.join(', ')}, which package.json does not ask for`);
  return {
    ...chosen(manifest, (name) => kept.includes(name)),
    dependencies: chosen(dependencies, (name) => imported.has(name)),
    optionalDependencies: chosen(optionalDependencies, (name) => imported.has(name)),
  };
}

/**
 * The packages that come with the published one, as package-lock.json has them. `overrides` count for nobody who installs it, so none of them may
 * be among these: what they change has to be in the bundle.
 */
function checkOverrides(manifest, lock, overrides) {
  const changed = new Set(
    Object.entries(overrides).flatMap(([name, below]) => (typeof below === 'string' ? [name] : [name, ...Object.keys(below)])),
  );
  const installed = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
  for (const name of installed) {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = lock.packages[`node_modules/${name}`] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!peerDependenciesMeta[needed]?.optional) installed.add(needed);
  }
  const unbound = [...installed].filter((name) => changed.has(name));
  if (unbound.length > 0)
    throw new Error(`overrides of ${unbound.join(', ')} would not count where the package is installed: bundle what needs them`);
}

/** Writes the files of the server's package into a folder. */
function assemble(folder) {
  const manifest = readJson(at('package.json'));
  mkdirSync(folder, { recursive: true });
  const notPublished = new Set(['.stamp']);
  for (const name of [...manifest.files, 'README.md', 'LICENSE'])
    cpSync(at(name), path.join(folder, name), { recursive: true, filter: (file) => !notPublished.has(path.basename(file)) });
  const published = publishedManifest(manifest, importedPackages(path.join(folder, 'dist')));
  checkOverrides(published, readJson(at('package-lock.json')), manifest.overrides);
  writeJson(path.join(folder, 'package.json'), { ...published, files: manifest.files });
}

/** Packs a folder into a .tgz. Answers its name. */
function pack(folder, to) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to, folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  return filename;
}

const { values } = parseArgs({ options: { into: { type: 'string' }, to: { type: 'string', default: root } } });
execFileSync(process.execPath, [at('scripts', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });
if (values.into !== undefined) assemble(path.resolve(values.into));
else {
  const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
  try {
    assemble(folder);
    process.stdout.write(`${pack(folder, values.to)}\n${pack(at('sdk'), values.to)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
