// The process of a ChaosReceiver: an endpoint that answers 70 % of what it is sent, fails at the rest in every way that there is, and
// remembers what it did each time. Run with the URL that nobody may reach.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Send } from './chaos-receiver.js';

const forbiddenUrl = process.argv[2] ?? '';
const sends: Send[] = [];

/** Numbers that are the same in every run. */
let state = 7;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

/** A success whose body has no end. */
function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write('x'.repeat(16_384)));
  if (!response.destroyed) response.once('drain', () => pour(response));
}

const failures: Record<string, (response: ServerResponse) => void> = {
  refused: (response) => void response.writeHead(500).end('no'),
  reset: (response) => void response.socket?.resetAndDestroy(),
  redirected: (response) => void response.writeHead(302, { Location: forbiddenUrl }).end(),
  endless: (response) => void response.writeHead(503, { 'Retry-After': '30' }).write('x'.repeat(70_000)),
  /** Until it is given up. */
  hanging: () => {},
};

const seen = new Set<string>();

/** Hanging costs ten seconds a round of retries: only what is seen for the first time may. */
function failure(isNew: boolean): string {
  const kind = random();
  if (kind < 0.05) return isNew ? 'hanging' : 'refused';
  if (kind < 0.4) return 'refused';
  if (kind < 0.65) return 'reset';
  return kind < 0.9 ? 'redirected' : 'endless';
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const [webhook, event, attempt] = ['webhook', 'event', 'delivery'].map((name) => String(request.headers[`x-svc-${name}-id`]));
    const delivery = `${webhook} ${event}`;
    const isNew = !seen.has(delivery);
    seen.add(delivery);
    const answer = random() < 0.7 ? 'good' : failure(isNew);
    sends.push({ delivery, attempt: attempt ?? '', answer });
    if (answer !== 'good') failures[answer]?.(response);
    else if (random() < 0.02) pour(response.writeHead(200));
    else response.end('ok');
  });
});
// Never closed on its own: a request that met that would have failed without being seen.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(sends));
process.on('disconnect', () => process.exit());
