// Event streams (WHATWG HTML 9.2). A mailbox is written to the bare response, with no stream in between and nothing kept for each
// event. A reader that takes too little is cut off, so that it costs no more than its buffer; it resumes with Last-Event-ID.
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Mailbox, type Message, newRetryMs } from '../platform/mailbox.js';
import type { HttpContext } from './state.js';

/** Bytes that may wait for a slow reader: a whole replay fits. */
const mostBuffered = 256 * 1024;

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** One event as it is sent. Data is JSON, which has no line breaks of its own. */
export function frame({ id, event, data, retryMs: retry }: Message): string {
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  return retry === undefined ? `${head}data: ${data}\n\n` : `${head}retry: ${retry}\ndata: ${data}\n\n`;
}

/** Answers with the events of `source` until either side ends it. */
export function sendEvents(http: Pick<Context, 'req' | 'res' | 'respond'>, source: AsyncIterable<unknown>): void {
  if (!(source instanceof Mailbox)) throw new Error('a routed subscription gives a Mailbox');
  const { req, res } = http;
  // While the source was made the client may have left, or the deadline may have answered.
  if (res.headersSent || res.destroyed || req.socket.destroyed) return void source.return();
  http.respond = false;
  req.socket.setNoDelay(true);
  res.writeHead(200, streamHeaders);
  // One packet with the head and what is there already.
  res.cork();
  res.write(`retry: ${newRetryMs()}\n\n`);
  res.once('close', () => void source.return());
  source.attach({
    write(message) {
      if (res.write(frame(message)) || res.writableLength < mostBuffered) return;
      res.destroy();
    },
    end: () => void res.end(),
  });
  res.uncork();
}

/** The text of a stream that is one result: JSON, which has no line breaks of its own. */
export function oneEvent(json: string): string {
  return `${eventHead}${json}${eventEnd}`;
}

/** The same for a text that comes in pieces. */
export async function* oneEventOf(json: AsyncIterable<Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield eventHead;
  yield* json;
  yield eventEnd;
}

const eventHead = 'event: next\ndata: ';
const eventEnd = '\n\nevent: complete\ndata:\n\n';

/** Reads a web stream chunk by chunk. `cancel` is heard at once, unlike `return()` of its own iterator. */
export function chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/**
 * Answers with the chunks of `source`, taken as fast as the client reads them. The end of the response, also by a client that leaves,
 * ends the source at once.
 */
export function sendStream(http: HttpContext, source: AsyncIterator<string | Uint8Array>): void {
  http.status = 200;
  http.set(streamHeaders);
  http.body = new Readable({
    read() {
      source.next().then(
        ({ done, value }) => void this.push(done === true ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      Promise.resolve(source.return?.()).then(
        () => callback(error),
        () => callback(error),
      );
    },
  });
}
