// What a server is set to on machines of several sizes, and how the memory of a machine is found.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportOf } from '../../../src/cli/doctor.js';
import { readMachine, readMemory } from '../../../src/platform/postgres/machine.js';
import { adviceForOwn, profileOf } from '../../../src/platform/postgres/server-profile.js';

const [megabyte, gigabyte] = [2 ** 20, 2 ** 30];

describe('a profile', () => {
  const valuesOf = (memory: number, disk: number, hasLz4 = true) => {
    const machine = { memory: { bytes: memory, from: 'x' }, disk: { bytes: disk, from: 'y' } };
    return Object.fromEntries(profileOf(machine, hasLz4).map(({ name, value }) => [name, value]));
  };

  it('follows the memory and the disk, within bounds', () => {
    const sizes = ([memory, disk]: [number, number]) => {
      const { shared_buffers, max_wal_size } = valuesOf(memory, disk);
      return [shared_buffers, max_wal_size];
    };
    expect(sizes([64 * gigabyte, 1000 * gigabyte])).toEqual(['2GB', '4GB']);
    expect(sizes([4 * gigabyte, 40 * gigabyte])).toEqual(['1GB', '4GB']);
    expect(sizes([1500 * megabyte, 20 * gigabyte])).toEqual(['375MB', '2GB']);
    expect(sizes([256 * megabyte, gigabyte])).toEqual(['128MB', '256MB']);
  });

  it('has the rest the same everywhere, and lz4 where the server knows it', () => {
    const rest = { wal_level: 'logical', checkpoint_timeout: '15min', random_page_cost: '1.1', jit: 'off' };
    expect(valuesOf(gigabyte, gigabyte)).toMatchObject({ ...rest, wal_compression: 'lz4' });
    expect(valuesOf(gigabyte, gigabyte, false)).toMatchObject({ ...rest, wal_compression: 'pglz' });
  });
});

describe('the memory of a machine', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'machine-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function files(contents: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(contents)) {
      const file = path.join(root, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
  const none = { bytes: totalmem(), from: 'the memory of the machine' };
  const limit = (bytes: number, file: string) => ({ bytes, from: path.join(root, 'sys/fs/cgroup', file) });

  it('is the whole where nothing limits it', async () => {
    expect(await readMemory(root)).toEqual(none);
    await files({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': 'max\n' });
    expect(await readMemory(root)).toEqual(none);
  });

  it('is the least limit of a cgroup of version 2 and those above it', async () => {
    await files({
      'proc/self/cgroup': '0::/app/server\n',
      'sys/fs/cgroup/app/memory.max': '67108864\n',
      'sys/fs/cgroup/app/server/memory.max': '134217728\n',
    });
    expect(await readMemory(root)).toEqual(limit(67_108_864, 'app/memory.max'));
  });

  it('is the limit that a container sees at the top, whatever its cgroup is called outside', async () => {
    await files({ 'proc/self/cgroup': '0::/docker/abc\n', 'sys/fs/cgroup/memory.max': '67108864' });
    expect(await readMemory(root)).toEqual(limit(67_108_864, 'memory.max'));
  });

  it('is the limit of a cgroup of version 1, also beside one of version 2', async () => {
    await files({
      'proc/self/cgroup': '5:cpu,cpuacct:/\n4:memory:/docker/abc\n0::/\n',
      'sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '67108864\n',
    });
    expect(await readMemory(root)).toEqual(limit(67_108_864, 'memory/docker/abc/memory.limit_in_bytes'));
  });

  it('is the whole where version 1 says a number beyond any machine', async () => {
    await files({ 'proc/self/cgroup': '4:memory:/\n', 'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' });
    expect(await readMemory(root)).toEqual(none);
  });

  it('is found on this machine, with the disk of a folder', async () => {
    const { memory, disk } = await readMachine(root);
    expect(memory.bytes).toBeGreaterThan(megabyte);
    expect(memory.bytes).toBeLessThanOrEqual(totalmem());
    expect(disk.bytes).toBeGreaterThan(megabyte);
  });
});

describe('the report of doctor', () => {
  const right = {
    shared_buffers: '512MB',
    max_wal_size: '4GB',
    wal_level: 'logical',
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    random_page_cost: '1.1',
    jit: 'off',
  };

  it('names what differs for your own server', () => {
    expect(reportOf(adviceForOwn(false), right).differing).toEqual([]);
    expect(reportOf(adviceForOwn(true), right).differing).toEqual(['wal_compression']);
    const { lines, differing } = reportOf(adviceForOwn(false), { ...right, shared_buffers: '128MB', jit: 'on' });
    expect(differing).toEqual(['shared_buffers', 'jit']);
    expect(lines.at(-1)).toMatch(/^ {2}jit +on, advised: off +every statement is short/);
  });
});
