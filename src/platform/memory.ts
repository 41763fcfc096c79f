// The memory of the platform outside of its database (CONTRACT.md 25 "No fork", 27 "Switch"): what was told to others, put down before it was
// told. A database that was put back to yesterday knows less than its memory, and is not believed.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';

/** What was told of one thing: how far it had come, and a value that says the rest. */
export interface Remembered {
  /** Such as `log` and an id. */
  name: string;
  /** It only grows. */
  number: bigint;
  value: string;
}

const idFile = 'id';
/** The file is written anew when it has this many lines, and at least four for each thing. */
const longFile = 10_000;

/** The id of the memory in a folder, which is made where there is none. */
export async function memoryId(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, idFile);
  const id = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await createOnce(folder, idFile, `${randomBytes(16).toString('hex')}\n`);
    return readFile(file, 'utf8');
  });
  if (/^[0-9a-f]{32}\n?$/.test(id)) return id.trim();
  throw new Error(`${file} does not hold the id of a memory: put the one of before there, from your backup.`);
}

/** What a database has told: a file of its own, to which lines are added. One process writes at a time; what others have added is read first. */
export class Memory {
  readonly #folder: string;
  readonly #file: string;
  readonly #facts = new Map<string, Remembered>();
  /** The file that was read, and how much of it. */
  #inode = 0;
  #read = 0;
  #lines = 0;

  /** @param name that of the file, without its ending */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#file = `${name}.jsonl`;
  }

  /** What was put down last of a thing. Call `refresh` first. */
  get(name: string): Remembered | undefined {
    return this.#facts.get(name);
  }

  /** The names that begin so. */
  names(start: string): string[] {
    return [...this.#facts.keys()].filter((name) => name.startsWith(start));
  }

  /** Reads what other processes have added. */
  async refresh(): Promise<void> {
    const file = path.join(this.#folder, this.#file);
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found === null) return this.#forget(0);
    if (found.ino !== this.#inode || found.size < this.#read) this.#forget(found.ino);
    if (found.size === this.#read) return;
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(found.size - this.#read), position: this.#read });
      this.#take(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  }

  /** Puts facts down. They are on the disk when it returns. */
  async put(facts: readonly Remembered[]): Promise<void> {
    const text = facts.map(({ name, number, value }) => `${JSON.stringify([name, String(number), value])}\n`).join('');
    if (this.#lines + facts.length > Math.max(longFile, 4 * this.#facts.size)) return this.#rewrite(facts);
    const isNew = this.#inode === 0;
    const handle = await open(path.join(this.#folder, this.#file), constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
    try {
      await this.#endLine(handle);
      await handle.write(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (isNew) await syncFolder(this.#folder);
    await this.refresh();
  }

  /** A line that a crash has cut is left behind as it is. */
  async #endLine(handle: FileHandle): Promise<void> {
    const { size } = await handle.stat();
    if (size === 0) return;
    const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
    if (buffer[0] !== lineFeed) await handle.write('\n');
  }

  /** Writes the file anew, with the last fact of each thing. */
  async #rewrite(facts: readonly Remembered[]): Promise<void> {
    for (const fact of facts) this.#note(fact);
    const lines = [...this.#facts.values()].map(({ name, number, value }) => `${JSON.stringify([name, String(number), value])}\n`);
    await replace(this.#folder, this.#file, lines.join(''));
    await this.refresh();
  }

  #take(bytes: Buffer): void {
    const end = bytes.lastIndexOf(lineFeed) + 1;
    for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) {
      const fact = factOf(line);
      if (fact !== null) this.#note(fact);
      this.#lines += 1;
    }
    this.#read += end;
  }

  #note(fact: Remembered): void {
    const known = this.#facts.get(fact.name);
    if (known === undefined || known.number <= fact.number) this.#facts.set(fact.name, fact);
  }

  #forget(inode: number): void {
    this.#facts.clear();
    this.#inode = inode;
    this.#read = 0;
    this.#lines = 0;
  }
}

const lineFeed = 0x0a;

/** What a line says; null for one that a crash has cut. */
function factOf(line: string): Remembered | null {
  try {
    const [name, number, value] = JSON.parse(line) as string[];
    return name === undefined || number === undefined || value === undefined ? null : { name, number: BigInt(number), value };
  } catch {
    return null;
  }
}

/** Writes a file whole, or not at all: beside it, flushed, renamed. */
async function replace(folder: string, name: string, text: string): Promise<void> {
  const beside = path.join(folder, `${name}.new`);
  await writeFlushed(beside, text);
  await rename(beside, path.join(folder, name));
  await syncFolder(folder);
}

/** Writes a file whole where there is none; of several processes that do so at once one makes it. */
async function createOnce(folder: string, name: string, text: string): Promise<void> {
  const beside = path.join(folder, `${name}.${randomBytes(8).toString('hex')}.new`);
  await writeFlushed(beside, text);
  await link(beside, path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(beside);
  await syncFolder(folder);
}

async function writeFlushed(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.write(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
