// What was written to clients and not taken by them yet, of all answers of the process. Each answer passes here, whoever writes it: the
// class of responses is the server's (deadline.ts). Together they hold a tenth of the heap at most, and an answer whose client takes nothing
// for 30 s is cut (CONTRACT.md 21) (decision 0044).
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge } from 'prom-client';

// Gap G-401: Answers up to 16 KiB always pass; unread is what was written to a socket and not yet taken by the system.
/** Answers of no more bytes always pass: what refuses them is hardly smaller, and a socket mostly takes it at once. */
const alwaysTaken = 16 * 1024;
/** Looks until a client that takes nothing is cut. */
const looksOfDeadline = 30;

export const unreadBytes = new Gauge({
  name: 'unread_answer_bytes',
  help: 'Bytes of answers that clients have not taken yet.',
  registers: [],
});
export const answersCut = new Counter({
  name: 'answers_cut_total',
  help: 'Answers and streams that were cut because their clients did not read them.',
  registers: [],
});

export interface UnreadOptions {
  /** Bytes that may wait, of all answers together. */
  mostBytes?: number | undefined;
  /** How long a client may take nothing of what waits for it. */
  deadlineMs?: number | undefined;
}

/** An answer that its client is behind with. */
interface Behind {
  /** What is counted of it. */
  bytes: number;
  /** What the socket had taken at the last look, and how many looks ago that changed. */
  taken: number;
  looks: number;
}

/** The unread bytes of one process. */
export class Unread {
  readonly #mostBytes: number;
  readonly #lookEveryMs: number;
  readonly #behind = new Map<ServerResponse, Behind>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ mostBytes = getHeapStatistics().heap_size_limit / 10, deadlineMs = 30_000 }: UnreadOptions = {}) {
    this.#mostBytes = mostBytes;
    this.#lookEveryMs = deadlineMs / looksOfDeadline;
  }

  /** Bytes that wait now. */
  get bytes(): number {
    this.#recount();
    return this.#bytes;
  }

  /** False when an answer of so many bytes would be more than may wait. */
  takes(bytes: number): boolean {
    return bytes <= alwaysTaken || this.#bytes + bytes <= this.#mostBytes || this.bytes + bytes <= this.#mostBytes;
  }

  /** Counts what waits of `response`. Called when something was written to it. */
  note(response: ServerResponse): void {
    if (response.destroyed || response.closed) return;
    const behind = this.#behind.get(response);
    if (behind !== undefined) this.#count(response, behind);
    else if (response.writableLength > 0) this.#add(response);
  }

  #add(response: ServerResponse): void {
    const found: Behind = { bytes: 0, taken: takenOf(response.socket), looks: 0 };
    this.#behind.set(response, found);
    this.#count(response, found);
    this.#timer ??= setInterval(() => this.#look(), this.#lookEveryMs).unref();
  }

  /** Cuts a stream that waits while all together are too much: it cannot be told any more, and goes on where it stopped. */
  bound(response: ServerResponse): void {
    if (this.#bytes <= this.#mostBytes || response.writableLength <= alwaysTaken || this.bytes <= this.#mostBytes) return;
    this.#cut(response);
  }

  #count(response: ServerResponse, behind: Behind): void {
    const { writableLength } = response;
    this.#bytes += writableLength - behind.bytes;
    behind.bytes = writableLength;
    unreadBytes.set(this.#bytes);
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#behind.get(response)?.bytes ?? 0;
    this.#behind.delete(response);
    unreadBytes.set(this.#bytes);
    if (this.#behind.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #recount(): void {
    for (const [response, behind] of this.#behind) {
      // Not heard from its own end: an answer behind another one on its connection is not told when that closes.
      if (response.writableLength === 0 || response.closed || response.req.socket.destroyed) this.#forget(response);
      else this.#count(response, behind);
    }
  }

  #look(): void {
    this.#recount();
    for (const [response, behind] of this.#behind) {
      // One that waits for its turn goes with the one before it.
      if (response.socket === null) continue;
      const taken = takenOf(response.socket);
      behind.looks = taken === behind.taken ? behind.looks + 1 : 0;
      behind.taken = taken;
      if (behind.looks >= looksOfDeadline) this.#cut(response);
    }
  }

  #cut(response: ServerResponse): void {
    answersCut.inc();
    this.#forget(response);
    response.destroy();
  }
}

/** Bytes that the operating system has taken of what was written to a socket. Node's own time-out of sockets reads the same handle. */
function takenOf(socket: Socket | null): number {
  const { bytesWritten, writeQueueSize } = (socket as { _handle?: { bytesWritten: number; writeQueueSize: number } } | null)?._handle ?? {};
  return (bytesWritten ?? 0) - (writeQueueSize ?? 0);
}

/** The class of responses of a server whose unread bytes are counted. */
export function countedResponse(unread: Unread): typeof ServerResponse {
  class CountedResponse extends ServerResponse {
    override write(...args: unknown[]): boolean {
      const goesOn = super.write(...(args as Parameters<ServerResponse['write']>));
      unread.note(this);
      unread.bound(this);
      return goesOn;
    }

    override end(...args: unknown[]): this {
      super.end(...(args as Parameters<ServerResponse['end']>));
      unread.note(this);
      return this;
    }
  }
  return CountedResponse as typeof ServerResponse;
}
