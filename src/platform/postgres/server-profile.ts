// What a server of PostgreSQL for the platform is set to, derived from the machine that it runs on (decision 0063). The embedded server
// starts with it; for one of your own `cli doctor` says what differs.
import type { Amount, Machine } from './machine.js';

/** A setting as PostgreSQL shows it. */
export interface Setting {
  name: string;
  value: string;
  /** What it was derived from. */
  because: string;
  /** Where more than one value is right: whether this one is. */
  accepts?: (value: string) => boolean;
}

const mebibyte = 2 ** 20;
const [leastBuffers, mostBuffers] = [128, 2048];
const [leastWal, mostWal] = [256, 4096];

/** Megabytes as PostgreSQL prints them. */
const printSize = (megabytes: number) => (megabytes % 1024 === 0 ? `${megabytes / 1024}GB` : `${megabytes}MB`);

/** A part of an amount in megabytes, within bounds. */
function partOf({ bytes }: Amount, part: number, least: number, most: number): number {
  return Math.min(Math.max(Math.floor((bytes * part) / mebibyte), least), most);
}

/** A quarter of the memory, from 128 MB to 2 GB. */
export function buffersFor(memory: Amount): Setting {
  const value = printSize(partOf(memory, 1 / 4, leastBuffers, mostBuffers));
  const all = printSize(Math.floor(memory.bytes / mebibyte));
  return { name: 'shared_buffers', value, because: `a quarter of ${all} (${memory.from}), from 128MB to 2GB` };
}

/** 4 GB, or a tenth of a small disk, but 256 MB. */
export function walSizeFor(disk: Amount): Setting {
  const value = printSize(partOf(disk, 1 / 10, leastWal, mostWal));
  return { name: 'max_wal_size', value, because: `4GB, or a tenth of ${disk.from} (${printSize(Math.floor(disk.bytes / mebibyte))})` };
}

/** What does not depend on the machine. */
export function fixedSettings(hasLz4: boolean): readonly Setting[] {
  return [
    { name: 'wal_level', value: 'logical', because: 'the WAL can be read by others, for replicas and for what follows changes' },
    { name: 'checkpoint_timeout', value: '15min', because: 'a page is written whole into the WAL once after each checkpoint' },
    {
      name: 'wal_compression',
      value: hasLz4 ? 'lz4' : 'pglz',
      because: hasLz4 ? 'whole pages take less of the WAL' : 'whole pages take less of the WAL; this server was built without lz4',
    },
    { name: 'random_page_cost', value: '1.1', because: 'solid state disks: a page at any place costs as much as the next one' },
    { name: 'jit', value: 'off', because: 'every statement is short' },
  ];
}

/** Everything that follows from a machine. */
export function profileOf({ memory, disk }: Machine, hasLz4: boolean): readonly Setting[] {
  return [buffersFor(memory), walSizeFor(disk), ...fixedSettings(hasLz4)];
}

/** For a server of your own, whose machine is not seen from here. */
export function adviceForOwn(hasLz4: boolean): readonly Setting[] {
  const buffers: Setting = {
    name: 'shared_buffers',
    value: 'a quarter of its memory, up to 2GB',
    because: 'the memory of its machine is not seen from here; 128MB is what PostgreSQL begins with',
    accepts: (value) => value !== '128MB',
  };
  const walSize: Setting = { name: 'max_wal_size', value: '4GB', because: 'checkpoints come by time; less where its disk is small' };
  return [buffers, walSize, ...fixedSettings(hasLz4)];
}
