// A client that decides by chance, the same way for one seed. Now and then the server is killed in the middle of a request; the request is
// then sent again with its key.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { ask as askOnce } from '../load.js';
import { patiently } from './patience.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

export interface Platform {
  url(): string;
  key: string;
  /** Kills the server, and starts another. */
  kill(): Promise<void>;
  /** Somebody else kills servers and databases: what has no answer is sent again. */
  isPatient?: boolean;
}

/** Numbers from 0 to 1 that are the same for one seed. */
export function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export class Caller {
  readonly #platform: Platform;
  readonly random: () => number;
  #requests = 0;

  constructor(platform: Platform, random: () => number) {
    this.#platform = platform;
    this.random = random;
  }

  among(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  get server() {
    return { url: this.#platform.url(), key: this.#platform.key };
  }

  #ask(method: string, path: string, body?: object, headers?: Record<string, string>): ReturnType<typeof askOnce> {
    const send = () => askOnce(this.server, method, path, body, headers);
    return this.#platform.isPatient ? patiently(send) : send();
  }

  /** Reads one thing. */
  async read(path: string): Promise<Json> {
    return (await this.#ask('GET', path)).body.data;
  }

  /** Everything that a list has. */
  async list(path: string): Promise<Json[]> {
    const all: Json[] = [];
    let after = '';
    do {
      const { body } = await this.#ask('GET', `${path}?limit=200${after === '' ? '' : `&starting_after=${after}`}`);
      all.push(...body.data);
      after = body.pagination.has_more ? body.pagination.next_cursor : '';
    } while (after !== '');
    return all;
  }

  /** True when the server is to be killed in the middle of the next request. */
  protected isKilling(): boolean {
    return false;
  }

  /** Sends a request with a key until it is answered, whatever happens to the server meanwhile. */
  async send(path: string, body: object = {}, method = 'POST'): Promise<{ status: number; body: Json }> {
    this.#requests += 1;
    const headers = { 'idempotency-key': `life-${this.#requests}` };
    const post = () => this.#ask(method, path, body, headers);
    if (this.isKilling()) {
      const first = post().catch(() => undefined);
      await pause(this.random() * 8);
      await this.#platform.kill();
      await first;
    }
    return post();
  }

  async now(): Promise<number> {
    return Date.parse((await this.read('/v1/test/clock')).now);
  }

  /** Advances the clock; returns when what became due has been carried out. */
  async advance(seconds: number): Promise<void> {
    const { status, body } = await this.send('/v1/test/clocks/advance', { seconds });
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    await expect.poll(async () => (await this.read('/v1/test/clock')).status, { interval: 20, timeout: 60_000 }).toBe('ready');
  }
}
