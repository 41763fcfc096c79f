// A node between the platform and a real one that lies, loses answers or is late, as a test says. What it is not told to change it passes
// on as it is.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: calls and answers of JSON-RPC have any shape.
type Any = any;

/** A call, as it was asked. */
export interface Asked {
  method: string;
  params: Any[];
}

/** What it says instead of the truth, which is the answer of the real node ({id, result} or {id, error}), now or later; undefined: the truth. */
export type Lie = (asked: Asked, truth: Any) => Any;

/** A whole answer that is none of JSON-RPC. */
export interface RawAnswer {
  status?: number;
  body: string | Buffer;
}

/** One node. */
export class LyingNode {
  readonly #target: string;
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  /** Every call so far. */
  readonly asked: Asked[] = [];
  /** Asked of every call; the first that says something is believed. */
  lies: Lie[] = [];
  /** Answers every request with this, and asks nobody. */
  raw: RawAnswer | ((calls: Any) => RawAnswer) | undefined;
  /** For a request that was not passed on yet: true cuts the connection, and asks nobody. */
  cuts: (calls: readonly Asked[]) => boolean = () => false;
  /** For a request that was passed on: true cuts the connection instead of answering. */
  loses: (calls: readonly Asked[]) => boolean = () => false;
  /** Answers wait until release(). */
  isLate = false;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** A node on a free port of 127.0.0.1 before the one at `target`; without one it cuts the connection, unless it has a raw answer. */
  static async open(target = 'http://127.0.0.1:1/'): Promise<LyingNode> {
    const node = new LyingNode(target);
    node.#server.listen(0, '127.0.0.1');
    await once(node.#server, 'listening');
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Tells the truth again, at once. */
  repent(): void {
    this.lies = [];
    this.raw = undefined;
    this.cuts = () => false;
    this.loses = () => false;
    this.release();
  }

  /** Sends what was late. */
  release(): void {
    this.isLate = false;
    for (const send of this.#held.splice(0)) send();
  }

  async close(): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const content = JSON.parse(text);
    const calls: (Asked & { id: number })[] = Array.isArray(content) ? content : [content];
    this.asked.push(...calls.map(({ method, params }) => ({ method, params })));
    if (this.cuts(calls)) return void response.destroy();
    const answer = await this.#answer(content, calls, text).catch(() => null);
    if (answer === null || this.loses(calls)) return void response.destroy();
    const { status = 200, body } = answer;
    const send = () => void response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    if (this.isLate) this.#held.push(send);
    else send();
  }

  async #answer(content: Any, calls: readonly (Asked & { id: number })[], text: string): Promise<RawAnswer> {
    if (this.raw !== undefined) return typeof this.raw === 'function' ? this.raw(content) : this.raw;
    const passed = await fetch(this.#target, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text });
    const truths = [await passed.json()].flat() as Any[];
    const answers = await Promise.all(
      calls.map(async (call) => {
        const truth = truths.find(({ id }) => id === call.id);
        const said = await Promise.all(this.lies.map((lie) => lie(call, truth)));
        const told = said.find((one) => one !== undefined);
        return told === undefined ? truth : { jsonrpc: '2.0', id: call.id, ...told };
      }),
    );
    return { body: JSON.stringify(Array.isArray(content) ? answers : answers[0]) };
  }
}

/** A lie about the result of a method: what it makes of the true one. */
export const lieAbout = (method: string, change: (result: Any, params: Any[]) => Any): Lie => {
  return (asked, truth) => (asked.method === method ? { result: change(truth.result, asked.params) } : undefined);
};
