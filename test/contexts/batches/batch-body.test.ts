// The bodies of batches: up to 4 MiB over both faces, where everything else has 256 KiB (CONTRACT.md 0 "Bodies").
import { describe, expect, it } from 'vitest';
import { twoWallets } from '../../factories/payment.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { bodies, createBatch, times } from './transfer-batch.js';

const harness = useHarness();
const create = 'mutation Make($input: CreateTransferBatchInput!) { createTransferBatch(input: $input) { id status totalCount } }';
const note = 'x'.repeat(7_000);

/** 500 transfers of 7 KB each: 3.5 MB. */
async function largeBatch(): Promise<{ from: Json; to: Json; transfers: object[] }> {
  const { from, to } = await twoWallets(harness.test, { funded: '500.00' });
  return { from, to, transfers: bodies(from, to, times(500, '0.01'), { metadata: { note } }) };
}

/** The same for GraphQL. */
async function largeInput(): Promise<{ transfers: object[] }> {
  const { from, to } = await twoWallets(harness.test, { funded: '500.00' });
  const one = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '0.01', currency: 'USD', metadata: { note } };
  return { transfers: times(500).map(() => one) };
}

const expectTooLarge = (answer: Answer): void =>
  expect(answer, JSON.stringify(answer.body)).toMatchObject({
    status: 413,
    body: { errors: [{ extensions: { code: 'body_too_large' } }] },
  });

describe('over REST', () => {
  it('3.5 MB are taken and carried out', async () => {
    const { transfers } = await largeBatch();
    const { status, body } = await createBatch(harness.test, transfers);
    expect(status).toBe(202);
    await harness.runDue();
    expect((await harness.test.get(`/v1/batches/${body.data.id}`)).body.data).toMatchObject({ status: 'completed', success_count: 500 });
  });

  it('400 for an item with more metadata than anything else may have', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    const item = (length: number) => bodies(from, to, ['0.01'], { metadata: { a: 'x'.repeat(length - '{"a":""}'.length) } });
    expectInvalid(await createBatch(harness.test, [...item(16_384), ...item(16_385)]), 'transfers.1.metadata');
    expect((await createBatch(harness.test, item(16_384))).status).toBe(202);
  });

  it('more than 4 MiB are 413', async () => {
    const { transfers } = await largeBatch();
    expectRefused(await createBatch(harness.test, transfers, { metadata: { note: 'x'.repeat(700_000) } }), 413, 'body_too_large');
  });

  it('more than 256 KiB are 413 for anything else', async () => {
    const { account } = await openWallet(harness.test);
    const answer = await harness.test.patch(`/v1/accounts/${account.id}`, { metadata: { note: 'x'.repeat(300_000) } });
    expectRefused(answer, 413, 'body_too_large');
  });
});

describe('over GraphQL', () => {
  it('3.5 MB are taken, as one request of the rate limits', async () => {
    const left = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'));
    const input = await largeInput();
    const before = left(await harness.test.graphql('{ me { environment } }'));
    const answer = await harness.test.graphql(create, { input });
    expect(answer).toMatchObject({ status: 200, body: { data: { createTransferBatch: { status: 'pending', totalCount: 500 } } } });
    expect(left(answer)).toBe(before - 1);
  });

  it('once for an Idempotency-Key', async () => {
    const input = await largeInput();
    const send = () => harness.test.graphql(create, { input }, { headers: { 'Idempotency-Key': 'large' } });
    const [first, again] = [await send(), await send()];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('more than 4 MiB are 413', async () => {
    const input = await largeInput();
    expectTooLarge(await harness.test.graphql(create, { input: { ...input, metadata: { note: 'x'.repeat(700_000) } } }));
  });

  it('more than 256 KiB are 413 for anything but one batch', async () => {
    const filler = { note: 'x'.repeat(300_000) };
    for (const query of [
      'query { me { environment } }',
      'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { id } }',
      'mutation ($input: CreateTransferBatchInput!) { a: createTransferBatch(input: $input) { id } b: createTransferBatch(input: $input) { id } }',
      'mutation ($input: CreateTransferBatchInput!, $id: BatchId!) { createTransferBatch(input: $input) { id } cancelBatch(id: $id, input: {}) { id } }',
      '{',
    ]) {
      expectTooLarge(await harness.test.graphql(query, { input: filler }));
    }
  });

  it('more than 256 KiB are 413 from nobody, and 401 with a credential that is none', async () => {
    const input = await largeInput();
    expectTooLarge(await harness.test.graphql(create, { input }, { as: null }));
    expect((await harness.test.graphql(create, { input }, { as: `pk_test_${'x'.repeat(43)}` })).status).toBe(401);
  });

  it('a body without a length has 256 KiB', async () => {
    const content = JSON.stringify({ query: create, variables: { input: await largeInput() } });
    const response = await fetch(`${harness.test.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${harness.test.key}`, 'Content-Type': 'application/json' },
      body: new Blob([content]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  it('a large body that is no JSON', async () => {
    const raw = `{"query": "${'x'.repeat(300_000)}`;
    const { status, body } = await harness.test.call('POST', '/graphql', { raw });
    expect(status).toBe(400);
    expect(body.errors[0].extensions.code).toBe('invalid_json');
  });
});
