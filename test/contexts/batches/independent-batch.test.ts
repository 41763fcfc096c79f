// Batches whose items stand alone: what becomes of each.
import { describe, expect, it } from 'vitest';
import { spender as waitingSpender } from '../../factories/approval.js';
import { newBudget, spender, usedOf } from '../../factories/budget.js';
import { balanceOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Client, type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol, signIn as signInAgent } from '../agents/identity.js';
import { signIn } from '../identity/sign-in.js';
import { bodies, carriedOut, createBatch, readBatch, taken, times, whileRefusing } from './transfer-batch.js';

const harness = useHarness();
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const transferOf = async ({ transfer_id }: Json) => (await harness.test.get(`/v1/transfers/${transfer_id}`)).body.data;

describe('items', () => {
  it('more than a stretch, with the right sums', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1000.00' });
    const { batch, items } = await carriedOut(harness, bodies(from, to, times(250)));
    expect(batch).toMatchObject({ status: 'completed', total_count: 250, success_count: 250, failed_count: 0, total_amount: '250.00' });
    expect(items.map(({ index }) => index)).toEqual(times(250).map((_, index) => index));
    expect(new Set(items.map(({ transfer_id }) => transfer_id)).size).toBe(250);
    expect([await available(from), await available(to)]).toEqual(['750.00', '250.00']);
  });

  it('fail for reasons of their own, and the others succeed', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
    await pay(harness.test, from, to, '1.00', { reference: 'taken' });
    const one = (extra: object = {}) => transferBody(from, to, '1.00', extra);
    const { batch, items } = await carriedOut(harness, [
      one(),
      one({ to_wallet_id: nowhere }),
      transferBody(from, to, '1000.00'),
      one({ to_wallet_id: euros.id }),
      one({ to_wallet_id: from.id }),
      one({ reference: 'taken' }),
      one({ agent_id: nowhere }),
      { ...one(), to_wallet_id: undefined, destination: { type: 'bank', ref: 'ba_1' } },
      { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: euros.id, quote_id: `qt_${nowhere}` },
      one({ reference: 'new' }),
    ]);
    expect(batch).toMatchObject({ status: 'completed', success_count: 2, failed_count: 8 });
    expect(items.map(({ error }) => error?.code)).toEqual([
      undefined,
      'not_found',
      'insufficient_balance',
      'currency_mismatch',
      'same_wallet',
      'already_exists',
      'not_found',
      'not_found',
      'not_found',
      undefined,
    ]);
    expect(items[2]).toEqual({
      index: 2,
      status: 'failed',
      error: {
        code: 'insufficient_balance',
        error: expect.stringMatching(/^\S.*\.$/),
        details: expect.objectContaining({ next_actions: expect.arrayContaining([expect.objectContaining({ rel: 'fund' })]) }),
      },
    });
    const alone = await harness.test.post('/v1/transfers', transferBody(from, to, '1000.00'));
    expect(Object.keys(items[2]?.error.details).sort()).toEqual(Object.keys(alone.body.details).sort());
    expect(await available(to)).toBe('3.00');
  });

  it('that name what belongs to another tenant, or to production, find nothing', async () => {
    const { from, to } = await twoWallets(harness.test);
    const quote = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', amount_side: 'send' };
    const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
    const strange = async (client: Client) => {
      const [{ account, wallet }, agent] = [
        await openWallet(client, client === harness.live ? {} : { funded: '5.00' }),
        await enrol(client),
      ];
      return [
        transferBody(wallet, to, '1.00'),
        transferBody(from, wallet, '1.00'),
        { type: 'internal', from_account_id: account.id, to_wallet_id: to.id, amount: '1.00', currency: 'USD' },
        { type: 'internal', from_wallet_id: from.id, to_account_id: account.id, amount: '1.00', currency: 'USD' },
        transferBody(from, to, '1.00', { agent_id: agent.id }),
        ...(client === harness.live
          ? []
          : [
              {
                type: 'cross_border',
                from_wallet_id: from.id,
                to_wallet_id: euros.id,
                quote_id: (await client.make('/v1/quotes', quote)).id,
              },
            ]),
      ];
    };
    const transfers = [...(await strange(harness.other)), ...(await strange(harness.live))];
    const { batch, items } = await carriedOut(harness, transfers);
    expect(batch).toMatchObject({ success_count: 0, failed_count: 11 });
    const nothing = { code: 'not_found', error: 'No such resource in this workspace and environment.', details: expect.any(Object) };
    expect(items.map(({ error }) => error)).toEqual(times(11).map(() => nothing));
  });

  it('are held, scheduled, wrapped, and change the currency, as transfers by themselves', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
    const quote = await harness.test.make('/v1/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', amount_side: 'send' });
    const exchange = { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: euros.id, quote_id: quote.id };
    const { batch, items } = await carriedOut(harness, [
      transferBody(from, to, '1.00', { capture: 'manual', hold_expires_in: 60 }),
      transferBody(from, to, '2.00', { scheduled_for: new Date(harness.clock.now().getTime() + 60_000) }),
      { type: 'wrap', from_wallet_id: from.id, amount: '3.00', currency: 'USD' },
      exchange,
      exchange,
    ]);
    expect(batch).toMatchObject({ success_count: 4, failed_count: 1, total_amount: '26.00', currency: 'USD' });
    expect(items.slice(3).flatMap(({ error }) => error?.code ?? [])).toEqual(['quote_used']);
    const made = await Promise.all(items.filter(({ transfer_id }) => transfer_id !== undefined).map(transferOf));
    expect(made.map(({ status, type }) => `${type} ${status}`)).toEqual([
      'internal pending',
      'internal pending',
      'wrap completed',
      'cross_border completed',
    ]);
    expect(made.map(({ batch_id }) => batch_id)).toEqual(times(4, batch.id));
    expect(await available(euros)).toBe(quote.receive_amount);
    await harness.advance(61);
    expect((await Promise.all(items.slice(0, 2).map(transferOf))).map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    expect(await available(to)).toBe('2.00');
  });

  it('wait for an approval each, where a rule wants one', async () => {
    const agent = await waitingSpender(harness);
    const transfers = bodies(agent.wallet, agent.payee, ['1.00', '2.00']);
    const { batch, items } = await carriedOut(harness, transfers, {}, { as: agent.token });
    expect(batch).toMatchObject({ status: 'completed', success_count: 2 });
    const approvals = (await harness.test.get(`/v1/approvals?agent_id=${agent.uuid}`)).body.data;
    expect(approvals.map(({ amount }: Json) => amount).sort()).toEqual(['1.00', '2.00']);
    const first = await transferOf(items[0] as Json);
    expect(first).toMatchObject({ status: 'pending', batch_id: batch.id });
    const { body } = await harness.test.post(`/v1/approvals/${first.approval_id}/approve`, {});
    expect(body).toMatchObject({ transfer: { id: first.id }, batch_item: { index: 0, status: 'succeeded', transfer_id: first.id } });
    expect((await transferOf(items[0] as Json)).status).toBe('completed');
  });

  it('under a budget: never more than its amount in all', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, amount: '10.00' });
    const { batch, items } = await carriedOut(harness, bodies(agent.from, agent.to, times(150, '0.30')), {}, { as: agent.token });
    expect(batch).toMatchObject({ status: 'completed', success_count: 33, failed_count: 117 });
    expect(new Set(items.flatMap(({ error }) => error?.code ?? []))).toEqual(new Set(['budget_exceeded']));
    expect(await usedOf(harness.test, budget)).toEqual(['9.90', '0.00', '0.10']);
    expect(await available(agent.to)).toBe('9.90');
  });

  it('stay pending and are tried again a second later, when the database could not do them', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await taken(harness.test, bodies(from, to, times(3)));
    await whileRefusing(harness, '53100', () => harness.runDue());
    const { batch, items } = await readBatch(harness.test, id);
    expect(batch).toMatchObject({ status: 'processing', success_count: 0, failed_count: 0 });
    expect(items.map(({ status }) => status)).toEqual(times(3, 'pending'));
    await harness.runDue();
    expect((await readBatch(harness.test, id)).batch.status).toBe('processing');
    await harness.advance(1);
    expect((await readBatch(harness.test, id)).batch).toMatchObject({ status: 'completed', success_count: 3 });
    expect(await available(to)).toBe('3.00');
  });
});

describe('something that goes wrong on our side', () => {
  it('is the error of its item', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await taken(harness.test, bodies(from, to, times(2)));
    await whileRefusing(harness, '22012', () => harness.runDue());
    const { batch, items } = await readBatch(harness.test, id);
    expect(batch).toMatchObject({ status: 'completed', success_count: 0, failed_count: 2 });
    expect(items.map(({ error }) => error.code)).toEqual(['internal_error', 'internal_error']);
    expect(await available(to)).toBe('0.00');
  });
});

describe('in whose name', () => {
  it('an agent: of its own spends, with its trace', async () => {
    const agent = await spender(harness.test);
    const stranger = await twoWallets(harness.test);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { batch, items } = await carriedOut(
      harness,
      [...bodies(agent.from, agent.to, ['1.00']), ...bodies(stranger.from, agent.to, ['1.00'])],
      {},
      { as: agent.token, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
    );
    expect(batch).toMatchObject({ success_count: 1, failed_count: 1 });
    expect(items[1]).toMatchObject({ error: { code: 'forbidden' } });
    expect(await transferOf(items[0] as Json)).toMatchObject({
      agent_id: agent.uuid,
      initiated_by: { type: 'agent', id: agent.id },
      trace_id: traceId,
    });
  });

  it('a user, and an API key for an agent', async () => {
    const agent = await spender(harness.test);
    const jwt = await signIn(harness.test);
    const { items } = await carriedOut(harness, bodies(agent.from, agent.to, ['1.00'], { agent_id: agent.id }), {}, { as: jwt });
    expect(await transferOf(items[0] as Json)).toMatchObject({ agent_id: agent.uuid, initiated_by: { type: 'user' } });
  });

  it('an agent whose session has ended, or that was frozen', async () => {
    const agent = await spender(harness.test);
    const session = await signInAgent(harness.test, agent);
    const one = await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as: session });
    const other = await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as: agent.token });
    const [live] = (await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data;
    await harness.test.delete(`/v1/agents/${agent.id}/sessions/${live.id}`);
    await harness.test.make(`/v1/agents/${agent.id}/freeze`, {});
    await harness.runDue();
    const codes = await Promise.all([one, other].map(async ({ id }) => (await readBatch(harness.test, id)).items[0].error.code));
    expect(codes).toEqual(['session_revoked', 'agent_frozen']);
  });

  it('while the workspace is frozen nothing of it is spent', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await taken(harness.test, bodies(from, to, times(2)));
    await harness.test.make('/v1/spending/freeze', {});
    try {
      await harness.runDue();
    } finally {
      await harness.test.make('/v1/spending/unfreeze', {});
    }
    expect((await readBatch(harness.test, id)).items.map(({ error }) => error.code)).toEqual(times(2, 'workspace_frozen'));
    expect((await createBatch(harness.test, bodies(from, to, ['1.00']))).status).toBe(202);
  });
});
