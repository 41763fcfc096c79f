// What the receiving side sees of a transfer: money, parties, status and description, and nothing that the payer keeps to itself
// (CONTRACT.md 29 on 2). From whatever root it is asked, and filters do not tell it either.
import { beforeAll, describe, expect, it } from 'vitest';
import { mandateBody } from '../../factories/mandate.js';
import { idsOf, transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const own = { metadata: { secret: 'plan' }, reference: 'po-7', shared_metadata: { order: 'o-1' } };
const kept = ['metadata', 'reference', 'decision_id', 'approval_id', 'mandate_id', 'trace_id', 'failure'];

let payer: TestAgent;
let payee: TestAgent;
let made: Json;
beforeAll(async () => {
  const client = harness.test;
  [payer, payee] = await Promise.all([enrol(client, { wallet: { currency: 'USD' } }), enrol(client, { wallet: { currency: 'USD' } })]);
  await client.make(`/v1/wallets/${payer.agent.default_wallet_id}/fund`, { amount: '100.00' });
  const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  made = await client.make('/v1/transfers', bodyOf({ description: 'Hosting', ...own }), { as: payer.token, headers });
});
const bodyOf = (extra: object) =>
  transferBody({ id: payer.agent.default_wallet_id, currency: 'USD' }, { id: payee.agent.default_wallet_id }, '2.00', extra);
const read = async (id: string, as?: string) => (await harness.test.get(`/v1/transfers/${id}`, as === undefined ? {} : { as })).body.data;

describe('what the payee sees of a transfer', () => {
  it('is not what the payer keeps to itself; `shared_metadata` is for both', async () => {
    const whole = await read(made.id, payer.token);
    expect(whole).toMatchObject({ ...own, description: 'Hosting', initiated_by: { type: 'agent', id: payer.id } });
    const { metadata, reference, trace_id, ...rest } = whole;
    expect([metadata, reference, trace_id]).not.toContain(undefined);
    expect(await read(made.id, payee.token)).toEqual({ ...rest, initiated_by: { type: 'agent' } });
    expect(await read(made.id)).toEqual(whole);
  });

  it('is the same in lists, over GraphQL, and in the answer to what it does with the transfer', async () => {
    const { data } = (await harness.test.get('/v1/transfers', { as: payee.token })).body;
    expect(data.find(({ id }: Json) => id === made.id)).toEqual(await read(made.id, payee.token));
    const query = `query ($id: TransferId!) { transfer(id: $id) {
      metadata reference decisionId approvalId mandateId traceId failure { code } initiatedBy { type id } sharedMetadata
    } }`;
    expect((await harness.test.graphql(query, { id: made.id }, { as: payee.token })).body.data.transfer).toEqual({
      metadata: null,
      reference: null,
      decisionId: null,
      approvalId: null,
      mandateId: null,
      traceId: null,
      failure: null,
      initiatedBy: { type: 'agent', id: null },
      sharedMetadata: own.shared_metadata,
    });
    const later = await harness.test.make('/v1/transfers', bodyOf({ ...own, reference: 'po-8', capture: 'manual' }), { as: payer.token });
    const { body } = await harness.test.post(`/v1/transfers/${later.id}/cancel`, { reason: 'Out of stock' }, { as: payee.token });
    expect(body.data).toMatchObject({ id: later.id, status: 'cancelled', shared_metadata: own.shared_metadata });
    for (const member of kept) expect(body.data).not.toHaveProperty(member);
    expect(await read(later.id, payer.token)).toMatchObject({ failure: { message: 'Out of stock' } });
  });

  it('is all of it for an agent on both sides, and for what is funded', async () => {
    const second = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: payee.id, currency: 'USD' });
    const body = transferBody({ id: payee.agent.default_wallet_id, currency: 'USD' }, second, '1.00', own);
    const within = await harness.test.make('/v1/transfers', body, { as: payee.token });
    expect(await read(within.id, payee.token)).toEqual(await read(within.id));
    const funded = await harness.test.make(`/v1/wallets/${second.id}/fund`, { amount: '1.00' });
    expect(await read(funded.id, payee.token)).toEqual(await read(funded.id));
  });

  it('is not told by filters', async () => {
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(payer));
    const execution = await harness.test.make(
      '/v1/transfers',
      bodyOf({ mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt, reference: 'po-9' }),
      { as: payer.token },
    );
    const found = async (query: string, as: string) => idsOf(await harness.test.get(`/v1/transfers?${query}`, { as }));
    for (const query of ['reference=po-9', `mandate_id=${mandate.id}`]) {
      expect(await found(query, payer.token), query).toEqual([execution.id]);
      expect(await found(query, payee.token), query).toEqual([]);
      expect((await harness.test.get(`/v1/transfers?${query}`, { as: payee.token })).body.pagination.total).toBe(0);
    }
  });
});
