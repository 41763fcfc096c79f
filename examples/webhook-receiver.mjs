// A receiver of webhooks on this machine: it subscribes, verifies what it is sent, and does each event once. The sandbox reaches local
// addresses only where it is told: start it with   WEBHOOK_ALLOW_HOSTS=127.0.0.1:3000 npm start   and then run
//   node examples/webhook-receiver.mjs --key pk_test_... [--port 3000]
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { ApiError, createClient } from '@agent-payments/sdk';
import { receiveWebhook } from '@agent-payments/sdk/webhooks';
import { begin } from './example.mjs';

const { url, key, port, step } = begin(import.meta.url);
const company = createClient({ baseUrl: url, credential: key });

/** What was done: an event may come more than once. @type {Set<string>} */
const done = new Set();
/** The secret, once there is one: before that nothing is good. @type {string[]} */
const secrets = [];
const server = createServer(async (request, response) => {
  try {
    const header = request.headers['x-svc-signature'];
    // It answers the challenge by which the endpoint proves itself, too.
    const answer = await receiveWebhook(await buffer(request), typeof header === 'string' ? header : undefined, secrets, (event) => {
      if (!done.has(event.id)) console.log(`   ${event.type} ${JSON.stringify(event.data)}`);
      done.add(event.id);
      server.emit('done');
    });
    if (answer.status === 400) console.log(`   refused: ${answer.body}`);
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  } catch (error) {
    // What breaks off in its middle: a receiver outlives what it is sent.
    console.log(`   refused: ${error}`);
    response.writeHead(400).end();
  }
});
server.listen(port, '127.0.0.1');
await once(server, 'listening');

step(`It listens on 127.0.0.1:${port}, and wants to know when a wallet runs low`);
const { data: webhook } = await company
  .POST('/v1/webhooks', { body: { url: `http://127.0.0.1:${port}/hooks`, events: ['account.balance.low'] } })
  .catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'invalid_webhook_url') throw error;
    console.error(`The platform may not send to this machine: start it with WEBHOOK_ALLOW_HOSTS=127.0.0.1:${port} npm start`);
    process.exit(1);
  });
const path = { id: webhook.id };
// A secret is shown once: where that answer was lost on the way, another one is asked for.
secrets.push(
  webhook.secret ??
    (await company.POST('/v1/webhooks/{id}/rotate-secret', { params: { path }, body: { strategy: 'immediate' } })).data.secret ??
    '',
);

step('Somebody else sends it something');
await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', body: '{}', headers: { 'X-Svc-Signature': 't=1,v1=00' } });

step('The platform sends an event');
const sent = once(server, 'done');
await company.POST('/v1/test/events/trigger', {
  body: { type: 'account.balance.low', data: { balance: '3.20', threshold: '10.00', currency: 'USD' } },
});
await sent;

step(`It ends its subscription: ${done.size} event received`);
await company.DELETE('/v1/webhooks/{id}', { params: { path } });
server.close();
server.closeAllConnections();
