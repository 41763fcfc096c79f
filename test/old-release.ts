// The release before this one, checked out beside and built, as it runs when somebody upgrades.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Program } from './process.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The tag of the release that an upgrade begins with. */
export const oldTag = 'v0.1.0';

/** A checkout that is built. */
export interface Release {
  version: string;
  checkout: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document
  openapi: any;
}

export const releaseAt = (checkout: string): Release => ({
  version: read(checkout, 'package.json').version,
  checkout,
  openapi: read(checkout, 'openapi.json'),
});

export const newRelease = releaseAt(root);

/** Checks the old release out and builds it, once for a machine and a commit: that takes minutes. Undefined where the tag is not known. */
export async function buildOldRelease(): Promise<Release | undefined> {
  const commit = await execute('git', ['rev-parse', `${oldTag}^{commit}`], { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (commit === undefined) return undefined;
  const checkout = path.join(tmpdir(), `agent-payments-${oldTag}-${commit.slice(0, 12)}`);
  const isBuilt = existsSync(path.join(checkout, 'dist', 'main.js'));
  // Its packages may be those of a checkout that is gone.
  if (isBuilt && existsSync(path.join(checkout, 'node_modules', 'pg'))) return releaseAt(checkout);
  const draft = `${checkout}.${process.pid}`;
  await rm(checkout, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await execute('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, draft], { cwd: root });
  await installInto(draft);
  const { code, stderr } = await new Program(path.join(draft, 'scripts', 'build.mjs'), [], {}, { cwd: draft }).ended;
  if (code !== 0) throw new Error(stderr);
  await rename(draft, checkout);
  return releaseAt(checkout);
}

/** Its packages: those of this checkout, where it has each of them in the same version. */
async function installInto(checkout: string): Promise<void> {
  const [wanted, present] = [read(checkout, 'package-lock.json').packages, read(root, 'package-lock.json').packages];
  const isHere = Object.entries<{ version?: string }>(wanted).every(
    ([name, { version }]) => !name.startsWith('node_modules/') || present[name]?.version === version,
  );
  if (isHere)
    for (const folder of ['node_modules', 'sdk/node_modules']) await symlink(path.join(root, folder), path.join(checkout, folder));
  else await execute('npm', ['ci', '--ignore-scripts'], { cwd: checkout });
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON file
function read(folder: string, name: string): any {
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
}
