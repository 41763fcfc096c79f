// Somebody who keeps every head of a log that was ever shown, and holds each against all that came later.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Json } from '../../harness.js';
import { ask, type Server } from '../../load.js';
import { consistencyHolds, openNote } from './reader.js';

interface SeenHead {
  tree_size: number;
  root_hash: string;
}

export class HeadWatcher {
  readonly #servers: () => readonly Server[];
  readonly #heads = new Map<number, SeenHead>();
  #isWatching = true;
  readonly #watching: Promise<void>;
  vkeys: readonly string[] = [];

  /** Asks every server for the newest head, again and again, until it is stopped. */
  constructor(servers: () => readonly Server[]) {
    this.#servers = servers;
    this.#watching = this.#watch();
  }

  get count(): number {
    return this.#heads.size;
  }

  async #watch(): Promise<void> {
    while (this.#isWatching) {
      await Promise.all(this.#servers().map((server) => this.#look(server)));
      await pause(50);
    }
  }

  async #look(server: Server): Promise<void> {
    // A server that was killed answers nothing.
    const [head, events] = await Promise.all(
      ['/v1/evidence/head', '/v1/events?type=evidence.head&limit=5'].map((path) => ask(server, 'GET', path).catch(() => undefined)),
    );
    if (head?.status === 200) this.see(head.body.data.checkpoint);
    for (const event of events?.status === 200 ? events.body.data : []) this.see(event.data.checkpoint);
  }

  /** Keeps a head. Fails for one that no key of the log has signed, and for another of the same size. */
  see(checkpoint: string): void {
    const opened = this.vkeys.map((vkey) => openNote(checkpoint, vkey)).find((head) => head !== null);
    if (opened == null) throw new Error(`nobody known has signed ${checkpoint}`);
    const head = { tree_size: opened.size, root_hash: Buffer.from(opened.root, 'base64').toString('hex') };
    const known = this.#heads.get(head.tree_size);
    expect(head, 'two heads of one size').toEqual(known ?? head);
    this.#heads.set(head.tree_size, head);
  }

  /** True for a checkpoint of the log, and not of that of another workspace. */
  isOfLog(checkpoint: string): boolean {
    return this.vkeys.some((vkey) => vkey.startsWith(`${checkpoint.split('\n')[0]}+`));
  }

  /** Fails unless each head is the beginning of the next one, and of the newest. */
  async expectOneTree(server: Server): Promise<void> {
    const sizes = [...this.#heads.keys()].sort((a, b) => a - b);
    const last = sizes.at(-1) ?? 0;
    const pairs = sizes.slice(0, -1).flatMap((size, n) => [[size, sizes[n + 1] ?? last] as const, [size, last] as const]);
    for (const [from, to] of new Map(pairs.map((pair) => [pair.join(' '), pair])).values()) {
      const { status, body } = await ask(server, 'GET', `/v1/evidence/consistency?from=${from}&to=${to}`);
      expect(status, `${from} to ${to}: ${JSON.stringify(body)}`).toBe(200);
      const { proof } = body.data as { proof: string[] };
      const heads = { from: this.#heads.get(from) as Json, to: this.#heads.get(to) as Json };
      expect(consistencyHolds({ ...heads, proof }), `the head of ${from} is none of that of ${to}`).toBe(true);
    }
  }

  async stop(): Promise<void> {
    this.#isWatching = false;
    await this.#watching;
  }
}
