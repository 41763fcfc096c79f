// Which rows of a tenant a cell writes, as its WAL tells them: whoever writes, whatever the settings of his session. A slot of its own reads
// them (pgoutput, protocol 1), and ends with its connection.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import * as copy from 'pg-copy-streams';
import type { MoveEnd } from './end.js';
import { dropSlot } from './replication.js';
import type { TenantTable } from './tenant-table.js';

// What the types of pg-copy-streams lack.
const { both } = copy as unknown as { both(text: string, options: { alignOnCopyDataFrame: boolean }): Duplex & pg.Submittable };

/** The values of a row's primary key, in the order of its columns, as text. */
export type Key = readonly string[];

/** Keys of rows, by table. Each is there once. */
export type Keys = Map<string, Map<string, Key>>;

/** Adds a key of a table, once. */
export function addKey(keys: Keys, table: string, key: Key): void {
  const ofTable = keys.get(table) ?? new Map<string, Key>();
  keys.set(table, ofTable.set(key.join('\n'), key));
}

export interface WatchOptions {
  tables: readonly TenantTable[];
  /** The publication that has the tenant's rows. */
  publication: string;
  slot: string;
}

/** What is known of a table that was published. */
interface Relation {
  name: string;
  /** Where the columns of the primary key stand. */
  keyAt: readonly number[];
  markAt: number;
}

export class Watch {
  readonly #end: MoveEnd;
  readonly #client: pg.Client;
  readonly #stream: Duplex;
  readonly #options: WatchOptions;
  readonly #relations = new Map<number, Relation>();
  #keys: Keys = new Map();
  #mark = '';
  #failure: Error | undefined;
  #told = () => {};

  private constructor(end: MoveEnd, client: pg.Client, options: WatchOptions) {
    this.#end = end;
    this.#client = client;
    this.#options = options;
    const { slot, publication } = options;
    const text = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}')`;
    this.#stream = client.query(both(text, { alignOnCopyDataFrame: true }));
    const fail = (error: Error) => {
      this.#failure ??= error;
      this.#told();
    };
    client.on('error', fail);
    this.#stream.on('error', fail);
    this.#stream.on('end', () => fail(new Error(`${end.name} tells its changes no more.`)));
    this.#stream.on('data', (message: Buffer) => this.#read(message));
  }

  /** Watches what is committed from now on. The publication is there. */
  static async open(end: MoveEnd, options: WatchOptions): Promise<Watch> {
    // One of a command that was killed may still stand.
    await dropSlot(end, options.slot);
    const settings = '-c timezone=UTC -c datestyle=ISO -c statement_timeout=0';
    const client = new pg.Client({ connectionString: end.url, replication: 'database', options: settings } as pg.ClientConfig);
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`CREATE_REPLICATION_SLOT ${options.slot} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
      return new Watch(end, client, options);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Rows that were written since the last time. */
  take(): Keys {
    const taken = this.#keys;
    this.#keys = new Map();
    return taken;
  }

  /** Rows of how many keys are waiting to be taken. */
  get size(): number {
    return [...this.#keys.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Waits until the last mark is this one: what was committed before it has been read. False after `patienceMs`. */
  async awaitMark(mark: string, patienceMs: number): Promise<boolean> {
    const until = performance.now() + patienceMs;
    while (this.#mark !== mark) {
      if (this.#failure !== undefined) throw this.#failure;
      const left = until - performance.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#told = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
    await dropSlot(this.#end, this.#options.slot);
  }

  #read(message: Buffer): void {
    const kind = String.fromCharCode(message[0] ?? 0);
    if (kind === 'k') this.#confirm(message.readBigInt64BE(1));
    else if (kind === 'w') this.#readChange(new Reader(message, 25));
  }

  /** Says that all has been read up to `position`, so that the cell keeps no more WAL than it must. */
  #confirm(position: bigint): void {
    const status = Buffer.alloc(34);
    status.write('r', 0, 'latin1');
    for (const at of [1, 9, 17]) status.writeBigInt64BE(position, at);
    this.#stream.write(status);
  }

  #readChange(from: Reader): void {
    const kind = from.char();
    if (kind === 'R') this.#readRelation(from);
    if (kind !== 'I' && kind !== 'U' && kind !== 'D') return;
    const relation = this.#relations.get(from.int32());
    if (relation === undefined) return void this.#stream.destroy(new Error('What is published is no table of tenants.'));
    // An update tells the key before it where that has changed.
    for (let more = true; more; ) {
      more = from.char() !== 'N' && kind === 'U';
      this.#note(relation, from.tuple());
    }
  }

  #readRelation(from: Reader): void {
    const id = from.int32();
    from.text();
    const name = from.text();
    from.skip(1);
    const columns = Array.from({ length: from.int16() }, () => {
      from.skip(1);
      const column = from.text();
      from.skip(8);
      return column;
    });
    const table = this.#options.tables.find((each) => each.name === name);
    // A partition is told beside its table; changes are told of the table.
    if (table === undefined) return;
    this.#relations.set(id, { name, keyAt: table.key.map((column) => columns.indexOf(column.name)), markAt: columns.indexOf('mark') });
  }

  #note({ name, keyAt, markAt }: Relation, values: readonly string[]): void {
    addKey(
      this.#keys,
      name,
      keyAt.map((at) => values[at] ?? ''),
    );
    if (name !== 'move_mark') return;
    this.#mark = values[markAt] ?? '';
    this.#told();
  }
}

/** Reads a message of the protocol from left to right. */
class Reader {
  readonly #message: Buffer;
  #at: number;

  constructor(message: Buffer, at: number) {
    this.#message = message;
    this.#at = at;
  }

  skip(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }

  char(): string {
    return String.fromCharCode(this.#message[this.skip(1)] ?? 0);
  }

  int16(): number {
    return this.#message.readInt16BE(this.skip(2));
  }

  int32(): number {
    return this.#message.readInt32BE(this.skip(4));
  }

  text(): string {
    const end = this.#message.indexOf(0, this.#at);
    return this.#message.toString('utf8', this.skip(end + 1 - this.#at), end);
  }

  /** The values of a row as text; those that are null or not told are empty. */
  tuple(): string[] {
    return Array.from({ length: this.int16() }, () => {
      if (this.char() !== 't') return '';
      const length = this.int32();
      return this.#message.toString('utf8', this.skip(length), this.#at);
    });
  }
}
