// An address that stays the same while the server behind it is killed and started again. It can catch one request of whoever comes
// through it: the server has it, and its answer is lost.
import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The request that is caught: the `nth` of a method whose path ends so. `isAnswered`: only when the server has answered it. */
export interface Catch {
  method: string;
  ending: string;
  nth?: number;
  isAnswered: boolean;
}

export class Door {
  /** Resolved when the request is caught. */
  readonly caught: Promise<void>;
  readonly #server: Server;
  readonly #target: () => string;
  readonly #wanted: Catch | undefined;
  readonly #under = new Set<ClientRequest>();
  #resolve: () => void = () => {};
  #held: ServerResponse | undefined;
  #seen = 0;

  private constructor(target: () => string, wanted: Catch | undefined) {
    this.#target = target;
    this.#wanted = wanted;
    this.caught = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  /** @param target where the server listens now */
  static async open(target: () => string, wanted?: Catch): Promise<Door> {
    const door = new Door(target, wanted);
    door.#server.listen(0, '127.0.0.1');
    await once(door.#server, 'listening');
    return door;
  }

  get isCaught(): boolean {
    return this.#held !== undefined;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection; nobody hears what the server answered. */
  cut(): void {
    this.#held?.destroy();
    for (const passed of this.#under) passed.destroy();
    this.#server.closeAllConnections();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #catches({ method, url }: IncomingMessage): boolean {
    if (this.#wanted === undefined || method !== this.#wanted.method || !url?.endsWith(this.#wanted.ending)) return false;
    this.#seen += 1;
    return this.#seen === (this.#wanted.nth ?? 1);
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const isCaught = this.#catches(incoming);
    if (isCaught) this.#held = outgoing;
    const { method, url, headers } = incoming;
    const passed = request(this.#target() + url, { method, headers }, (answer) => {
      if (isCaught) {
        this.#resolve();
        answer.resume();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    this.#under.add(passed);
    passed.once('close', () => {
      this.#under.delete(passed);
      if (!isCaught && !outgoing.writableEnded) outgoing.destroy();
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
    if (isCaught && this.#wanted?.isAnswered === false) passed.once('finish', () => this.#resolve());
  }
}
