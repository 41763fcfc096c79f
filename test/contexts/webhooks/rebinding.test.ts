// DNS rebinding: a name that led to a public address when the URL was written, and leads to this machine when something is sent, is
// never connected to. The resolver is the test's own; nothing asks a real one.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { useHarness } from '../../harness.js';
import { deliveriesOf, happen } from './receiver.js';

let connections = 0;
const inside = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
inside.listen(0, '127.0.0.1');
await once(inside, 'listening');
const { port } = inside.address() as { port: number };
const harness = useHarness();
afterAll(() => void inside.close());

/** What a name leads to, question by question; the last answer is that of all later questions. */
const answers = new Map<string, string[][]>();
let questions: string[] = [];
beforeEach(async () => {
  questions = [];
  await harness.platform.outbound.close();
  harness.platform.outbound = new Outbound({
    allowHosts: [],
    resolver: (hostname, _options, done) => {
      const asked = questions.filter((name) => name === hostname).length;
      questions.push(hostname);
      const addresses = answers.get(hostname)?.[asked] ?? answers.get(hostname)?.at(-1) ?? [];
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
});

const subscribeTo = (name: string) =>
  harness.test.post('/v1/webhooks', { url: `https://${name}:${port}/hook`, events: ['account.created'] });

describe('a name that changes where it leads', () => {
  for (const later of [['127.0.0.1'], ['::ffff:127.0.0.1'], ['10.0.0.1', '::1', '169.254.169.254']]) {
    it(`is not connected to when it has come to lead to ${later.join(', ')}`, async () => {
      const name = `rebound-${later.length}-${later[0]?.length}.example`;
      answers.set(name, [['93.184.216.34'], later]);
      const { status, body } = await subscribeTo(name);
      expect(status).toBe(201);
      expect(questions).toEqual([name]);
      await happen(harness.test);
      await harness.runDue();
      const [delivery] = await deliveriesOf(harness.test, body.data.id);
      expect(delivery).toMatchObject({ status: 'dlq', dlq_reason: 'url_refused', last_error: expect.stringContaining('private') });
      // Asked once for the connection: what was checked is what would have been connected to.
      expect(questions.filter((asked) => asked === name)).toHaveLength(2);
      expect(connections).toBe(0);
    });
  }

  it('is not connected to by a test of the subscription either', async () => {
    answers.set('tested.example', [['93.184.216.34'], ['127.0.0.1']]);
    const { body } = await subscribeTo('tested.example');
    const answer = await harness.test.post(`/v1/webhooks/${body.data.id}/test`);
    expect(answer.body.data).toMatchObject({ status: 'dlq' });
    expect(connections).toBe(0);
  });

  it('is not taken when it leads inside from the start', async () => {
    answers.set('inside.example', [['127.0.0.1']]);
    expect(await subscribeTo('inside.example')).toMatchObject({ status: 422, body: { code: 'invalid_webhook_url' } });
    expect(connections).toBe(0);
  });
});
