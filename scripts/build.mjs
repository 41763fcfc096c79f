// Builds dist/ from src/: the Prisma client, then the server, whose types tsc checks and which rolldown bundles, then what is read at run
// time beside the code (GraphQL documents), and the console, which is a program of its own for browsers, and the documentation. Then sdk/dist, the package for callers.
//   node scripts/build.mjs              build everything
//   node scripts/build.mjs --if-stale   only what changed since the last build: in an unchanged checkout a few milliseconds
//   node scripts/build.mjs --client     only what is generated into src: the Prisma client, when it is stale, the kinds of ids, and what is personal
//   node scripts/build.mjs --console    only dist/console, and only when it is stale
//   node scripts/build.mjs --sdk        only sdk/dist, and only when it is stale
//   node scripts/build.mjs --docs       only dist/docs, and only when it is stale
//   node scripts/build.mjs --verify     only verify/dist, and only when it is stale
// Says nothing on standard output: `npm run --silent cli` prints JSON there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printIdKinds } from './id-kinds.mjs';
import { printPersonalData } from './personal-data.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const generated = at('src', 'generated');
const consoleSource = at('src', 'console');
const sdkGenerated = at('sdk', 'src', 'generated');
const options = new Set(process.argv.slice(2));

/** The files below a folder. Generated code is left out, and so is the console, which is not compiled with the rest. */
function filesBelow(from) {
  return readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(from, entry.name);
    if ([generated, consoleSource, sdkGenerated].includes(file)) return [];
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

/** Changes when something is added, removed or written. Of folders only the files' times are read, so that asking costs little. */
function fingerprint({ folders, files }) {
  const hash = createHash('sha256');
  for (const file of folders.flatMap((folder) => filesBelow(at(folder)))) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${path.relative(root, file)} ${mtimeMs} ${size}\n`);
  }
  for (const file of files) hash.update(readFileSync(at(file))); // npm rewrites its files with what was in them
  return hash.digest('hex');
}

function isFresh(stamp, print) {
  try {
    return readFileSync(stamp, 'utf8') === print;
  } catch {
    return false;
  }
}

/** Runs a program of node_modules; when it fails, its messages are the error. */
function run(bin, args, env = {}) {
  const { status, error, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: root,
    env: { ...process.env, PATH: `${at('node_modules', '.bin')}${path.delimiter}${process.env.PATH ?? ''}`, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}${path.basename(bin)} failed`);
}

/** Where package `name` keeps `file`; the build's own packages are missing after `npm install --omit=dev`. */
function packaged(name, file) {
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
  } catch (cause) {
    throw new Error(`the package ${name} is not installed: run \`npm install\` with development packages, or bring a built dist/`, {
      cause,
    });
  }
}

function generateClient() {
  const stamp = path.join(generated, '.stamp');
  const print = fingerprint({ folders: ['prisma/schema'], files: ['prisma.config.ts', 'package-lock.json'] });
  if (isFresh(stamp, print)) return;
  run(packaged('prisma', 'build/index.js'), ['generate'], {
    // Generating needs no schema engine, but the command downloads one unless it is told of a program to use.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  });
  writeFileSync(stamp, print);
}

/** Prints the kinds of ids from the nouns; the file is left alone where it says the same. */
function generateIdKinds() {
  const file = path.join(generated, 'id-kind.ts');
  const text = printIdKinds(at('src', 'contexts'), readFileSync(at('schema.graphql'), 'utf8'));
  if (isFresh(file, text)) return;
  mkdirSync(generated, { recursive: true });
  writeFileSync(file, text);
}

/** Prints what of the data model is personal; the file is left alone where it says the same. */
function generatePersonalData() {
  const file = path.join(generated, 'personal-data.ts');
  const text = printPersonalData(at('prisma', 'schema'));
  if (isFresh(file, text)) return;
  writeFileSync(file, text);
}

function compile(print) {
  const fresh = at(`dist.${process.pid}`);
  try {
    run(packaged('typescript', 'bin/tsc'), ['-p', 'tsconfig.build.json']);
    run(packaged('rolldown', 'bin/cli.mjs'), ['--config', at('scripts', 'server.mjs'), '--dir', fresh]);
    for (const file of filesBelow(at('src')).filter((name) => !name.endsWith('.ts'))) {
      const copy = path.join(fresh, path.relative(at('src'), file));
      mkdirSync(path.dirname(copy), { recursive: true });
      cpSync(file, copy);
    }
    writeFileSync(path.join(fresh, '.stamp'), print);
    for (const site of ['console', 'docs'])
      if (existsSync(at('dist', site))) cpSync(at('dist', site), path.join(fresh, site), { recursive: true });
    // A swap rather than writing in place: nobody starts from a half-built dist, and deleted sources leave nothing behind.
    rmSync(at('dist'), { recursive: true, force: true });
    renameSync(fresh, at('dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Builds dist/console when it is stale. */
function buildConsole() {
  const stamp = at('dist', 'console', '.stamp');
  const print = fingerprint({ folders: ['src/console', 'verify/src'], files: ['scripts/console.mjs', 'package-lock.json'] });
  if (isFresh(stamp, print)) return;
  const fresh = at(`dist.console.${process.pid}`);
  try {
    const config = ['--config', at('scripts', 'console.mjs'), '--configLoader', 'native'];
    run(packaged('vite', 'bin/vite.js'), ['build', ...config, '--outDir', fresh, '--logLevel', 'error']);
    writeFileSync(path.join(fresh, '.stamp'), print);
    mkdirSync(at('dist'), { recursive: true });
    rmSync(at('dist', 'console'), { recursive: true, force: true });
    renameSync(fresh, at('dist', 'console'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Builds dist/docs when it is stale. */
function buildDocs() {
  const stamp = at('dist', 'docs', '.stamp');
  const print = fingerprint({
    folders: ['docs', 'scripts/docs'],
    files: ['scripts/docs.mjs', 'openapi.json', 'schema.graphql', 'src/console/icon.svg', 'package-lock.json'],
  });
  if (isFresh(stamp, print)) return;
  const fresh = at(`dist.docs.${process.pid}`);
  try {
    packaged('markdown-it', '.');
    run(at('scripts', 'docs.mjs'), [fresh]);
    writeFileSync(path.join(fresh, '.stamp'), print);
    mkdirSync(at('dist'), { recursive: true });
    rmSync(at('dist', 'docs'), { recursive: true, force: true });
    renameSync(fresh, at('dist', 'docs'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Builds sdk/dist when it is stale. An image of the server has no sources of it. */
function buildSdk() {
  if (!existsSync(at('sdk', 'src'))) return;
  const stamp = at('sdk', 'dist', '.stamp');
  const own = ['package.json', 'tsconfig.json', 'tsconfig.cjs.json', 'tsconfig.verify.json', 'generate.mjs', 'python.mjs'];
  const files = ['openapi.json', 'package-lock.json', ...own.map((name) => `sdk/${name}`)];
  const print = fingerprint({ folders: ['sdk/src', 'verify/src'], files });
  if (isFresh(stamp, print)) return;
  const fresh = at('sdk', `dist.${process.pid}`);
  try {
    run(at('sdk', 'generate.mjs'), []);
    run(packaged('typescript', 'bin/tsc'), ['-p', 'sdk/tsconfig.verify.json']);
    run(packaged('typescript', 'bin/tsc'), ['-p', 'sdk', '--outDir', fresh]);
    addVerifier(fresh, 'esm');
    buildCommonJs(path.join(fresh, 'cjs'));
    writeFileSync(path.join(fresh, '.stamp'), print);
    rmSync(at('sdk', 'dist'), { recursive: true, force: true });
    renameSync(fresh, at('sdk', 'dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The SDK for require(). The types of the operations, which are long, are those of the modules. */
function buildCommonJs(folder) {
  run(packaged('typescript', 'bin/tsc'), ['-p', 'sdk/tsconfig.cjs.json', '--outDir', folder]);
  addVerifier(folder, 'cjs');
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  const types = "export type * from '../../generated/api.js' with { 'resolution-mode': 'import' };\n";
  writeFileSync(path.join(folder, 'generated', 'api.d.ts'), types);
}

/** Puts the code of verify/ into the SDK as one file, with its types beside it. */
function addVerifier(folder, format) {
  const to = path.join(folder, 'generated', 'verify');
  cpSync(path.join(sdkGenerated, 'verify'), to, { recursive: true });
  const shape = ['--format', format, '--platform', 'browser', '--file', path.join(to, 'verify.js')];
  run(packaged('rolldown', 'bin/cli.mjs'), [at('verify', 'src', 'verify.ts'), ...shape]);
}

/** Builds verify/dist, one file without a dependency, when it is stale. An image of the server has no sources of it. */
function buildVerifier() {
  if (!existsSync(at('verify', 'src'))) return;
  const stamp = at('verify', 'dist', '.stamp');
  const print = fingerprint({ folders: ['verify/src'], files: ['package-lock.json'] });
  if (isFresh(stamp, print)) return;
  const fresh = at('verify', `dist.${process.pid}`);
  try {
    const shape = ['--format', 'esm', '--platform', 'node', '--minify', '--banner', '#!/usr/bin/env node'];
    run(packaged('rolldown', 'bin/cli.mjs'), [at('verify', 'src', 'main.ts'), '--file', path.join(fresh, 'verify.mjs'), ...shape]);
    writeFileSync(path.join(fresh, '.stamp'), print);
    rmSync(at('verify', 'dist'), { recursive: true, force: true });
    renameSync(fresh, at('verify', 'dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A dist/ that was brought here, in an installation without development packages, is taken as it is. */
function isDeployed() {
  return existsSync(at('dist', '.stamp')) && !existsSync(at('node_modules', 'typescript'));
}

function build() {
  if (options.has('--client')) {
    generateClient();
    generateIdKinds();
    generatePersonalData();
  }
  if (options.has('--console')) buildConsole();
  if (options.has('--docs')) buildDocs();
  if (options.has('--sdk')) buildSdk();
  if (options.has('--verify')) buildVerifier();
  if (['--client', '--console', '--docs', '--sdk', '--verify'].some((part) => options.has(part))) return;
  buildAll();
}

function buildAll() {
  if (options.has('--if-stale') && isDeployed()) return;
  const print = fingerprint({
    folders: ['src', 'prisma/schema'],
    files: ['package.json', 'package-lock.json', 'scripts/server.mjs', 'tsconfig.json', 'tsconfig.build.json'],
  });
  if (!options.has('--if-stale') || !isFresh(at('dist', '.stamp'), print)) {
    process.stderr.write('Building dist/ ...\n');
    generateClient();
    generateIdKinds();
    generatePersonalData();
    compile(print);
  }
  buildConsole();
  buildDocs();
  buildSdk();
  buildVerifier();
}

try {
  build();
} catch (error) {
  process.stderr.write(`build: ${error.message}\n`);
  process.exitCode = 1;
}
