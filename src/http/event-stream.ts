// Frames a mailbox as server-sent events (WHATWG HTML 9.2) on the bare response: no stream between, nothing kept per event.
// A reader that takes too little is cut off, so that it costs no more than its buffer; it comes back with Last-Event-ID.
import type { Context } from 'koa';
import { Mailbox, type Message, newRetryMs } from '../platform/mailbox.js';

/** Bytes that may wait for a slow reader: a whole replay fits. */
const mostBuffered = 256 * 1024;

/** One event as it is sent. Data is JSON, which has no line breaks of its own. */
export function frame({ id, event, data, retryMs: retry }: Message): string {
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  return retry === undefined ? `${head}data: ${data}\n\n` : `${head}retry: ${retry}\ndata: ${data}\n\n`;
}

/** Answers with the events of `source` until either side ends it. */
export function sendEvents(http: Pick<Context, 'req' | 'res' | 'respond'>, source: AsyncIterable<unknown>): void {
  if (!(source instanceof Mailbox)) throw new Error('a routed subscription gives a Mailbox');
  const { req, res } = http;
  // Whoever asked may have left, or been told that it took too long, while the source was made.
  if (res.headersSent || res.destroyed || req.socket.destroyed) return void source.return();
  http.respond = false;
  req.socket.setNoDelay(true);
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
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
