// The machine that a server of PostgreSQL runs on: how much memory it may use, and how large the disk below its data is. A container has the
// limit of its cgroup; what os.totalmem() says there is the memory of the host.
import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';

export interface Amount {
  bytes: number;
  /** Where it was read, for people. */
  from: string;
}

export interface Machine {
  memory: Amount;
  disk: Amount;
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '');

/** A folder of a hierarchy and those above it, up to its root. */
function upwards(folder: string): string[] {
  return folder === '/' || folder === '.' ? ['/'] : [folder, ...upwards(path.dirname(folder))];
}

/** The least limit of a cgroup and those above it; "max" and what is beyond any machine are none. */
async function leastLimit(mount: string, group: string, file: string): Promise<Amount | null> {
  const places = upwards(group).map((folder) => path.join(mount, folder, file));
  const limits = await Promise.all(places.map(async (from) => ({ bytes: Number.parseInt(await read(from), 10), from })));
  return limits
    .filter(({ bytes }) => bytes > 0)
    .reduce<Amount | null>((least, one) => (least && least.bytes <= one.bytes ? least : one), null);
}

/** The limit of memory of the cgroup of this process, of version 2 or 1; null without one. `root` is where the file systems begin. */
async function cgroupLimit(root: string): Promise<Amount | null> {
  const mount = path.join(root, 'sys/fs/cgroup');
  const groups = (await read(path.join(root, 'proc/self/cgroup'))).split('\n').map((line) => line.split(':'));
  for (const [, controllers = '', ...group] of groups) {
    const folder = group.join(':');
    const isMemory = controllers.split(',').includes('memory');
    const limit = isMemory
      ? await leastLimit(path.join(mount, 'memory'), folder, 'memory.limit_in_bytes')
      : controllers === '' && folder !== ''
        ? await leastLimit(mount, folder, 'memory.max')
        : null;
    if (limit !== null) return limit;
  }
  return null;
}

/** What this process may use of the memory of its machine. */
export async function readMemory(root = '/'): Promise<Amount> {
  const [limit, whole] = [await cgroupLimit(root), totalmem()];
  return limit !== null && limit.bytes < whole ? limit : { bytes: whole, from: 'the memory of the machine' };
}

/** The machine, and the disk on which `folder` is. */
export async function readMachine(folder: string): Promise<Machine> {
  const { bsize, blocks } = await statfs(folder);
  return { memory: await readMemory(), disk: { bytes: bsize * blocks, from: `the disk of ${folder}` } };
}
