// DNS rebinding: a name that led to a public address when the URL was written, and leads to this machine when something is sent, is
// never connected to. The name server is the test's own; nothing asks a real one.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { NameServer } from '../../name-server.js';
import { deliveriesOf, happen } from './receiver.js';

let connections = 0;
const inside = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
inside.listen(0, '127.0.0.1');
await once(inside, 'listening');
const { port } = inside.address() as { port: number };
const names = await NameServer.start();
const harness = useHarness({ nameServers: [names.address] });
afterAll(async () => {
  inside.close();
  await names.stop();
});

/** How often a name was asked for its IPv4 addresses, which is as often as for the others. */
const asked = (name: string) => names.questions.filter((question) => question === name).length / 2;

const subscribeTo = (name: string) =>
  harness.test.post('/v1/webhooks', { url: `https://${name}:${port}/hook`, events: ['account.created'] });

describe('a name that changes where it leads', () => {
  for (const later of [['127.0.0.1'], ['::ffff:127.0.0.1'], ['10.0.0.1', '::1', '169.254.169.254']]) {
    it(`is not connected to when it has come to lead to ${later.join(', ')}`, async () => {
      const name = `rebound-${later.length}-${later[0]?.length}.example`;
      names.lead(name, ['93.184.216.34']);
      const { status, body } = await subscribeTo(name);
      expect(status).toBe(201);
      expect(asked(name)).toBe(1);
      names.lead(name, later);
      await happen(harness.test);
      await harness.runDue();
      const [delivery] = await deliveriesOf(harness.test, body.data.id);
      expect(delivery).toMatchObject({ status: 'dlq', dlq_reason: 'url_refused', last_error: expect.stringContaining('private') });
      // Asked once for the connection: what was checked is what would have been connected to.
      expect(asked(name)).toBe(2);
      expect(connections).toBe(0);
    });
  }

  it('is not connected to by a test of the subscription either', async () => {
    names.lead('tested.example', ['93.184.216.34']);
    const { body } = await subscribeTo('tested.example');
    names.lead('tested.example', ['127.0.0.1']);
    const answer = await harness.test.post(`/v1/webhooks/${body.data.id}/test`);
    expect(answer.body.data).toMatchObject({ status: 'dlq' });
    expect(connections).toBe(0);
  });

  it('is not taken when it leads inside from the start', async () => {
    names.lead('inside.example', ['127.0.0.1']);
    expect(await subscribeTo('inside.example')).toMatchObject({ status: 422, body: { code: 'invalid_webhook_url' } });
    expect(connections).toBe(0);
  });
});
