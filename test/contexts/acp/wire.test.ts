// What ACP asks of every request and answer: versions, keys, headers, errors, discovery, and the published examples.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  cancelSessionShape,
  completeSessionShape,
  createSessionShape,
  updateSessionShape,
} from '../../../src/contexts/acp/request-shape.js';
import { type AcpClient, createBody, faultBy, newShop } from '../../factories/acp.js';
import { type Json, useHarness } from '../../harness.js';
import published from '../../vectors/acp/examples.agentic_checkout.json' with { type: 'json' };
import several from '../../vectors/acp/examples.multi_item_checkout.json' with { type: 'json' };

const harness = useHarness({ env: { BASE_URL: 'https://pay.example/' } });
let acp: AcpClient;

beforeAll(async () => {
  ({ acp } = await newShop(harness.test));
});

describe('GET /.well-known/acp.json', () => {
  it('says to anybody what is spoken, and may be kept for an hour', async () => {
    const { status, headers, body } = await harness.live.get('/.well-known/acp.json', { as: null });
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
    expect(faultBy('DiscoveryResponse', body)).toBeNull();
    expect(body).toMatchObject({
      protocol: { name: 'acp', version: '2026-04-17', supported_versions: ['2026-04-17'] },
      api_base_url: 'https://pay.example/acp/%7Bmerchant_id%7D',
      transports: ['rest'],
      capabilities: { services: ['checkout'], supported_currencies: expect.arrayContaining(['usd', 'jpy']) },
    });
  });

  it('names the address that was used, where none is configured', async () => {
    const { body } = await harness.test.get('/.well-known/acp.json', { as: null });
    expect(body.api_base_url).toBe(`${harness.test.url}/acp/%7Bmerchant_id%7D`);
  });
});

describe('API-Version', () => {
  it.each<[string | null, string]>([
    [null, 'missing_api_version'],
    ['2025-09-29', 'unsupported_api_version'],
    ['latest', 'unsupported_api_version'],
  ])('%s is 400 with the versions that are served', async (version, code) => {
    const session = await acp.ready();
    for (const answer of [
      await acp.create({}, { version }),
      await acp.read(session, { version }),
      await acp.cancel(session, {}, { version }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request', code, supported_versions: ['2026-04-17'] } });
    }
    expect((await acp.read(session)).body.status).toBe('ready_for_payment');
  });
});

describe('Idempotency-Key', () => {
  it('is asked for by everything that changes something, as the published error says', async () => {
    const session = await acp.ready();
    for (const answer of [
      await acp.create({}, { key: null }),
      await acp.update(session, {}, { key: null }),
      await acp.cancel(session, {}, { key: null }),
    ]) {
      const { type, code } = published.error_400_idempotency_key_required;
      expect(answer).toMatchObject({ status: 400, body: { type, code } });
      expect(answer.body).not.toHaveProperty('param');
    }
  });

  it('422 with another body; the same body in another spelling is the same', async () => {
    const key = randomUUID();
    const first = await acp.create({ metadata: { a: 1, b: 2 } }, { key });
    const { metadata: _, ...rest } = createBody();
    const raw = JSON.stringify({ metadata: { b: 2, a: 1 }, ...rest }).replace('"a":1', '"a":1.0');
    expect((await acp.send('POST', '', undefined, { key, raw })).body).toEqual(first.body);
    const { type, code } = published.error_422_idempotency_conflict;
    const conflict = await acp.create({ metadata: { a: 1, b: null } }, { key });
    expect(conflict).toMatchObject({ status: 422, body: { type, code } });
    expect(conflict.headers.get('idempotency-key')).toBe(key);
  });

  it('409 while the first is under way, with Retry-After', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 12 }, () => acp.create({}, { key })));
    const made = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(made.size).toBe(1);
    const busy = answers.filter(({ status }) => status !== 201);
    for (const { status, headers, body } of busy) {
      const { type, code } = published.error_409_idempotency_in_flight;
      expect([status, headers.get('retry-after'), body]).toMatchObject([409, '1', { type, code }]);
    }
    expect(busy.length).toBeGreaterThan(0);
  });

  it('answers from the session where the first answer was not kept', async () => {
    const key = randomUUID();
    const { body: session } = await acp.create({}, { key });
    const { pool } = harness.platform.database;
    const kept = () => pool.query('DELETE FROM keyed_answer WHERE body LIKE $1', [`%${session.id}%`]);
    await expect.poll(async () => (await kept()).rowCount).toBe(1);
    await acp.update(session, { order_notes: 'Ring twice.', buyer: { email: 'ada@example.com' } });
    const again = await acp.create({}, { key });
    expect(again).toMatchObject({ status: 201, body: { id: session.id, buyer: { email: 'ada@example.com' } } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is of one path: another session may use it too', async () => {
    const [one, other] = [await acp.ready(), await acp.ready()];
    const key = randomUUID();
    const [first, second] = [await acp.cancel(one, {}, { key }), await acp.cancel(other, {}, { key })];
    expect([first.body.id, second.body.id]).toEqual([one.id, other.id]);
  });

  it('400 for one of 256 characters, and nothing is kept of a refusal', async () => {
    expect((await acp.create({}, { key: 'k'.repeat(256) })).status).toBe(400);
    const key = randomUUID();
    expect((await acp.create({ line_items: [{ id: 'none' }] }, { key })).status).toBe(400);
    expect((await acp.create({}, { key })).status).toBe(201);
  });
});

describe('errors are flat', () => {
  it.each<[number, string, Parameters<AcpClient['create']>[1]]>([
    [401, 'missing_credential', { as: null }],
    [401, 'malformed_credential', { as: 'api_key_123' }],
    [400, 'invalid_json', { raw: '{' }],
    [413, 'body_too_large', { raw: `{"a":"${'x'.repeat(270_000)}"}` }],
    [415, 'unsupported_media_type', { headers: { 'Content-Type': 'text/plain' } }],
  ])('%i %s', async (status, code, options) => {
    const { headers, ...answer } = await acp.create({}, options);
    expect(answer).toMatchObject({ status, body: { type: 'invalid_request', code } });
    if (status === 401) expect(headers.get('www-authenticate')).toContain('Bearer');
  });

  it('says of an unknown item what the published error says', async () => {
    const { type, code } = published.error_400_invalid_item;
    expect(await acp.create({ line_items: [{ id: 'invalid_item' }] })).toMatchObject({ status: 400, body: { type, code } });
  });
});

describe('hostile bodies', () => {
  it('are refused, whatever their names', async () => {
    const session = await acp.ready();
    for (const name of ['constructor', '__proto__', 'toString', "it's", 'a.b[0]']) {
      const metadata = `{"intent_trace":{"reason_code":"other","metadata":{${JSON.stringify(name)}:{}}}}`;
      const answer = await acp.send('POST', `/${session.id}/cancel`, undefined, { raw: metadata });
      expect(answer.status, name).toBeLessThan(500);
    }
  });

  it('never make a fault of ours', async () => {
    const { body: session } = await acp.create();
    const names = fc.constantFrom(
      ...Object.keys({ ...createSessionShape.shape, ...updateSessionShape.shape, ...completeSessionShape.shape }),
    );
    const body = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom('', `/${session.id}`, `/${session.id}/complete`), async (value, path) => {
        const { status } = await acp.send('POST', path, path === '' ? { ...createBody(), ...value } : value);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });

  it('of metadata that is too long are 400', async () => {
    const answer = await acp.create({ metadata: { a: 'x'.repeat(20_000) } });
    expect(answer).toMatchObject({ status: 400, body: { param: '$.metadata' } });
  });
});

describe('the published examples', () => {
  const shapes = { create: createSessionShape, update: updateSessionShape, complete: completeSessionShape, cancel: cancelSessionShape };
  const requests = Object.entries<Json>({ ...published, ...several }).filter(([name]) => name.includes('_request'));
  /** Requests that were written for an earlier version: this one asks for `capabilities`. */
  const outdated = ['create_multi_item_checkout_request'];

  it('have requests', () => expect(requests.length).toBeGreaterThan(9));

  it.each(requests)('%s is understood', (name, example) => {
    const [verb] = name.split('_') as [keyof typeof shapes];
    const read = (shapes[verb] ?? shapes.complete).safeParse(example);
    expect(read.success, JSON.stringify(read.error?.issues)).toBe(!outdated.includes(name));
  });

  it('and our example requests are ACP’s, but for the number of an item, which it does not have', () => {
    const { line_items: _, ...body } = createBody();
    expect(faultBy('CheckoutSessionCreateRequest', { ...body, line_items: [{ id: 'mug' }] })).toBeNull();
    expect(faultBy('CheckoutSessionCreateRequest', { ...body, line_items: [{ id: 'mug', quantity: 2 }] })).not.toBeNull();
  });
});
