// What a key has set up goes on after the key was revoked; after a roll the successor stands for it (CONTRACT.md 29).
import { beforeAll, describe, expect, it } from 'vitest';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { inSeconds, readStream, streamBody } from '../../factories/stream.js';
import { type Json, useHarness } from '../../harness.js';
import { bodies, readBatch, taken, times } from '../batches/transfer-batch.js';
import { issueKey, signIn } from './sign-in.js';

const harness = useHarness();
const revoke = ({ id }: Json) => harness.test.delete(`/v1/api-keys/${id}`);
const roll = async ({ id }: Json, as = harness.test.key): Promise<Json> =>
  (await harness.test.post(`/v1/api-keys/${id}/roll`, {}, { as })).body.data;
const setScopes = ({ id }: Json, scopes: string[]) =>
  harness.platform.database.unscoped.apiKey.updateMany({ where: { id: id.slice('key_'.length) }, data: { scopes } });
let from: Json;
let to: Json;
beforeAll(async () => {
  ({ from, to } = await twoWallets(harness.test, { funded: '1000.00' }));
});
const batchOf = (as: string) => taken(harness.test, bodies(from, to, times(2)), {}, { as });
const outcome = async (batch: Json) => (await readBatch(harness.test, batch.id)).items.map(({ status, error }) => error?.code ?? status);

describe('a batch', () => {
  it('of a key that was revoked, and of a JWT of it that was signed out', async () => {
    const key = await issueKey(harness.test);
    const jwt = await signIn(harness.test, key.key);
    const batches = [await batchOf(key.key), await batchOf(jwt)];
    await harness.test.post('/v1/auth/logout', {}, { as: jwt });
    await revoke(key);
    await harness.runDue();
    for (const batch of batches) expect(await outcome(batch)).toEqual(['succeeded', 'succeeded']);
    const { items } = await readBatch(harness.test, batches[0]?.id);
    const { data } = (await harness.test.get(`/v1/transfers/${items[0]?.transfer_id}`)).body;
    expect(data.initiated_by).toEqual({ type: 'api_key', id: key.id });
  });

  it('of a key that was rolled, twice, with the scopes of the last successor', async () => {
    const [kept, less] = [await issueKey(harness.test), await issueKey(harness.test)];
    const [goesOn, stops] = [await batchOf(kept.key), await batchOf(less.key)];
    await roll(await roll(kept));
    const last = await roll(await roll(less));
    await setScopes(last, ['transfers:read']);
    await harness.runDue();
    expect(await outcome(goesOn)).toEqual(['succeeded', 'succeeded']);
    expect(await outcome(stops)).toEqual(['insufficient_scope', 'insufficient_scope']);
  });

  it('of a living key whose scopes were reduced fails at its next run', async () => {
    const key = await issueKey(harness.test);
    const batch = await batchOf(key.key);
    await setScopes(key, ['wallets:write']);
    await harness.runDue();
    expect(await outcome(batch)).toEqual(['insufficient_scope', 'insufficient_scope']);
  });
});

it('the key itself pays nothing after it was revoked', async () => {
  const key = await issueKey(harness.test);
  await revoke(key);
  expect((await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), { as: key.key })).status).toBe(401);
});

it('a stream, a scheduled transfer and a webhook of a revoked key go on', async () => {
  const key = await issueKey(harness.test);
  const as = key.key;
  const stream = await harness.test.make('/v1/streams', streamBody(from, to), { as });
  const later = transferBody(from, to, '3.00', { scheduled_for: inSeconds(harness, 60) });
  const scheduled = await harness.test.make('/v1/transfers', later, { as });
  const webhook = await harness.test.make('/v1/webhooks', { url: 'https://example.com/hook', events: ['transfer.*'] }, { as });
  await revoke(key);
  await harness.advance(120);
  expect((await readStream(harness.test, stream)).status).toBe('active');
  expect((await readStream(harness.test, stream)).streamed_total).toBe('1.20');
  expect((await harness.test.get(`/v1/transfers/${scheduled.id}`)).body.data.status).toBe('completed');
  expect((await harness.test.get(`/v1/webhooks/${webhook.id}`)).body.data.status).toBe('active');
  const { deliveries } = (await harness.test.get(`/v1/events?type=transfer.completed&object_id=${scheduled.id}`)).body.data[0];
  expect(deliveries).not.toEqual([]);
});
