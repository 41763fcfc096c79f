// What a platform of UCP 2026-04-08 is answered, byte for byte. The fixture was recorded before 2026-08-25 was spoken here. Ids, hosts, keys
// and signatures are numbered in the order in which they come. RECORD=1 writes it again. Since then
// the two profiles name the binding of MCP beside REST.
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { ap2Name, byWallet, checkoutName, fulfillmentName, home, mugs, ProfileHost, payment, profileOf, shipping, songs } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
const fixture = new URL('old-answers.json', import.meta.url);
let merchant: Json;
let wallet: Json;
let poor: Json;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  ({ wallet } = await openWallet(harness.test, { funded: '500.00' }));
  ({ wallet: poor } = await openWallet(harness.test));
});

/** Where the profile of this version stands since our own is of the next one. */
const leaf = '/2026-04-08';

interface Exchange {
  asked: string;
  status: number;
  type: string | null;
  body: string;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const jws = '[\\w-]{20,}\\.\\.[\\w-]{60,}';
const member = '(?<="(?:x|y|kid)":")[\\w-]+';
const passing = new RegExp(`${uuid}|${jws}|${member}|(?:localhost|127\\.0\\.0\\.1):\\d+`, 'g');

interface Asked {
  agent?: string | undefined;
  body?: unknown;
  headers?: object;
  /** What stands for the path and the body. */
  asked?: string;
}

class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #known = new Map<string, string>();

  readonly #number = (text: string) =>
    text.replace(passing, (found) => {
      if (!this.#known.has(found)) this.#known.set(found, `{${this.#known.size}}`);
      return this.#known.get(found) as string;
    });

  /** Asks, keeps what is answered, and returns it. */
  async ask(method: string, path: string, { agent, body, headers = {}, asked }: Asked = {}) {
    const answer = await fetch(harness.test.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${harness.test.key}`,
        ...(agent !== undefined && { 'UCP-Agent': `profile="${agent}"` }),
        ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    this.exchanges.push({
      asked: asked ?? this.#number(`${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`),
      status: answer.status,
      type: answer.headers.get('Content-Type'),
      body: this.#number(text),
    });
    return JSON.parse(text) as Json;
  }
}

const pickup = { methods: [{ type: 'pickup', groups: [{ selected_option_id: 'shop' }] }] };

/** Begins, changes, pays and calls off. */
async function converse(recorder: Recorder, agent: string, sessions: string): Promise<void> {
  const create = (body: object) => recorder.ask('POST', sessions, { agent, body });
  const update = (id: string, body: object) => recorder.ask('PUT', `${sessions}/${id}`, { agent, body });
  const complete = (id: string, body: object) => recorder.ask('POST', `${sessions}/${id}/complete`, { agent, body });
  const { id } = await create(mugs(2, { buyer: { first_name: 'Ada', email: 'ada@example.com' } }));
  await recorder.ask('GET', `${sessions}/${id}`, { agent });
  const destinations = [
    { id: 'home', ...home },
    { ...home, street_address: '2 Side St', address_country: 'Germany' },
  ];
  const where = (more: object) => ({ methods: [{ id: 'shipping', line_item_ids: ['line_1'], destinations, ...more }] });
  await update(id, mugs(2, { fulfillment: where({}) }));
  await update(id, mugs(2, { fulfillment: where({ selected_destination_id: 'destination_2' }) }));
  await update(id, mugs(2, { fulfillment: where({ selected_destination_id: 'elsewhere' }) }));
  await update(id, mugs(3, { fulfillment: where({ selected_destination_id: 'home', groups: [{ selected_option_id: 'express' }] }) }));
  await update(id, { line_items: [{ item: { id: 'moon' }, quantity: 1 }] });
  await update(id, mugs(3, { fulfillment: shipping('drone') }));
  await complete(id, byWallet(poor));
  await complete(id, payment('cash', 'cash', 'cash', 'x'));
  await complete(id, byWallet(wallet));
  await complete(id, byWallet(wallet));
  await update(id, mugs(1));
  const collected = await create(mugs(1, { fulfillment: pickup }));
  await update(collected.id, { ...collected, line_items: [...mugs(1).line_items, ...songs(1).line_items] });
  await complete(collected.id, byWallet(wallet));
  const both = { methods: [...pickup.methods, ...shipping('standard').methods] };
  const { id: away } = await create({
    line_items: [{ item: { id: 'pen', quantity_unit: { unit: 'KGM' } }, quantity: 9 }],
    fulfillment: both,
  });
  await recorder.ask('POST', `${sessions}/${away}/cancel`, { agent });
  await recorder.ask('POST', `${sessions}/${away}/cancel`, { agent });
}

/** What goes wrong. */
async function misspeak(recorder: Recorder, agent: string, sessions: string): Promise<void> {
  const create = (body: object, options: object = {}) => recorder.ask('POST', sessions, { agent, body, ...options });
  for (const type of ['drone', 7, null]) await create(mugs(1, { fulfillment: { methods: [{ type }] } }));
  await create({});
  await create({ line_items: [{ item: { id: 'mug' }, quantity: 0 }] });
  await create(mugs(1, { fulfillment: { methods: [{ destinations: Array(11).fill({}) }, {}, {}] } }));
  await create(mugs(11));
  await create({
    line_items: [
      { item: { id: 'gone' }, quantity: 1 },
      { item: { id: 'moon' }, quantity: 1 },
    ],
  });
  await create(songs(1), { headers: { 'Idempotency-Key': '' } });
  await create(songs(2), { headers: { 'Idempotency-Key': 'used' } });
  await create(songs(3), { headers: { 'Idempotency-Key': 'used' } });
  await create(songs(1), { headers: { 'Content-Digest': 'sha-256=:AAAA:' } });
  await create(songs(1), { headers: { Authorization: '' } });
  await create(songs(1), { agent: undefined });
  await create(songs(1), { agent: host.publish({ ucp: { version: 'latest' } }, '/latest') });
  await create(songs(1), { agent: host.publish(profileOf([fulfillmentName]), '/fulfillment') });
  await create(mugs(1), { agent: host.publish(profileOf([checkoutName]), '/checkout') });
  await recorder.ask('GET', `${sessions}/ucp_chk_${nowhere}`, { agent });
  await recorder.ask('GET', `${sessions}/acp_chk_1`, { agent });
  await recorder.ask('GET', `/ucp/mer_${nowhere}/checkout-sessions/ucp_chk_${nowhere}`, { agent });
  await recorder.ask('POST', `/ucp/mer_${nowhere}/checkout-sessions`, { agent, body: songs(1) });
}

it('has the bytes that it had', async () => {
  const sessions = `/ucp/${merchant.id}/checkout-sessions`;
  const recorded: Record<string, Exchange[]> = {};
  const record = async (name: string, speak: (recorder: Recorder) => Promise<unknown>) => {
    const recorder = new Recorder();
    await speak(recorder);
    recorded[name] = recorder.exchanges;
  };
  await record('platform profile', (to) => to.ask('GET', `/.well-known/ucp${leaf}`, { asked: 'the profile' }));
  await record('merchant profile', (to) => to.ask('GET', `/ucp/${merchant.id}/.well-known/ucp${leaf}`, { asked: 'the profile' }));
  await record('checkouts', (to) => converse(to, host.publish(profileOf(), '/plain'), sessions));
  await record('AP2', (to) =>
    to.ask('POST', sessions, { agent: host.publish(profileOf([checkoutName, ap2Name]), '/ap2'), body: songs(1) }),
  );
  await record('faults', (to) => misspeak(to, host.publish(profileOf(), '/faults'), sessions));
  if (process.env['RECORD'] === '1') await writeFile(fixture, `${JSON.stringify(recorded, null, 1)}\n`);
  expect(recorded).toEqual(JSON.parse(await readFile(fixture, 'utf8')));
});
