// POST /v1/mpp/sessions
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newMppSession, newSides, sessionBody } from '../../factories/mpp.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();

const create = (body: object, as?: string) => harness.test.post('/v1/mpp/sessions', body, as === undefined ? {} : { as });
async function sides() {
  const made = await newSides(harness.test);
  return { ...made, body: sessionBody({ wallet: made.from.id, payee: made.to.id, agent: made.payer.id }) };
}

describe('POST /v1/mpp/sessions', () => {
  it('201: the deposit is in escrow', async () => {
    const { payer, from, to, body } = await sides();
    const { status, body: made } = await create({ ...body, expires_in: 3_600, max_voucher_amount: '5.00' }, payer.token);
    expect(status).toBe(201);
    expect(made.data).toMatchObject({
      id: expect.stringMatching(/^mses_/),
      service_url: 'https://api.example.com/data',
      payee_wallet_id: to.id,
      wallet_id: from.id,
      agent_id: payer.uuid,
      deposit_amount: '100.00',
      currency: 'USD',
      accepted_cumulative: '0.00',
      settled_amount: '0.00',
      budget_remaining: '100.00',
      budget_used: '0.00',
      max_voucher_amount: '5.00',
      status: 'open',
      expires_at: new Date(harness.clock.now().getTime() + 3_600_000).toISOString(),
    });
    expect(Buffer.from(made.data.voucher_key, 'base64')).toHaveLength(32);
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00', held: '0.00' });
    const [account] = await harness.platform.database.unscoped.ledgerAccount.findMany({ where: { ownerId: made.data.id.slice(5) } });
    expect(account).toMatchObject({ kind: 'mpp.escrow', balance: 10_000n });
    const [transfer] = (await harness.test.get(`/v1/transfers?agent_id=${payer.uuid}`)).body.data;
    expect(transfer).toMatchObject({ status: 'pending', protocol: 'mpp', protocol_metadata: { session_id: made.data.id } });
    const close = { rel: 'close', path: `/v1/mpp/sessions/${made.data.id}/close` };
    for (const verb of ['capture', 'cancel']) {
      const answer = await harness.test.post(`/v1/transfers/${transfer.id}/${verb}`, {});
      expectRefused(answer, 409, 'state_conflict');
      expect(answer.body.details.next_actions).toContainEqual(expect.objectContaining(close));
    }
  });

  describe('202: waits for an approval', () => {
    async function waiting() {
      const { payer, from, body } = await sides();
      await trip(harness, payer.uuid);
      const answer = await create(body, payer.token);
      expect(answer.status).toBe(202);
      expect(answer.body).toMatchObject({ data: { status: 'pending' }, approval: { status: 'pending' } });
      expect(await balanceOf(harness.test, from)).toEqual(
        expect.objectContaining({ available: '900.00', held: '100.00', total: '1000.00' }),
      );
      return { payer, from, session: answer.body.data, approval: answer.body.approval };
    }

    it('and opens when it is given', async () => {
      const { from, session, approval } = await waiting();
      const { status, body } = await harness.test.post(`/v1/approvals/${approval.id}/approve`, {});
      expect({ status, body }).toMatchObject({ status: 200, body: { session: { id: session.id, status: 'open' } } });
      expect(body.mpp_session).toEqual(body.session);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00', held: '0.00', total: '900.00' });
      expect((await harness.test.post(`/v1/mpp/sessions/${session.id}/close`, {})).body.data).toMatchObject({ status: 'closed' });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00', held: '0.00' });
    });

    it.each(['reject', 'close', 'expire'] as const)('and gives the money back: %s', async (end) => {
      const { from, session, approval } = await waiting();
      if (end === 'reject') await harness.test.post(`/v1/approvals/${approval.id}/reject`, {});
      else if (end === 'close') await harness.test.post(`/v1/mpp/sessions/${session.id}/close`, {});
      else await harness.advance(3_601);
      expect((await harness.test.get(`/v1/mpp/sessions/${session.id}`)).body.data).toMatchObject({
        status: 'closed',
        settled_amount: '0.00',
      });
      expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data.status).not.toBe('pending');
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00', held: '0.00' });
    });
  });

  it('400: what is no session', async () => {
    const { body } = await sides();
    expectInvalid(await create({ ...body, service_url: 'ftp://x' }), 'service_url');
    expectInvalid(await create({ ...body, expires_in: 59 }), 'expires_in');
    expectInvalid(await create({ ...body, deposit_amount: '0.00' }), 'deposit_amount');
    expectInvalid(await create({ ...body, max_voucher_amount: '0.001' }), 'max_voucher_amount');
    const { payee_wallet_id: _, ...without } = body;
    expectInvalid(await create(without), 'payee_wallet_id');
  });

  it('403: a wallet of somebody else, and a frozen one', async () => {
    const { payer, payee, from, body } = await sides();
    expectRefused(await create({ ...body, agent_id: payee.id }), 403, 'forbidden');
    await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
    expectRefused(await create(body, payer.token), 403, 'wallet_frozen');
  });

  it('404: wallets and agents that are none', async () => {
    const { body } = await sides();
    for (const member of ['wallet_id', 'payee_wallet_id', 'agent_id'])
      expectRefused(await create({ ...body, [member]: nowhere }), 404, 'not_found');
  });

  it('422: the same wallet, another currency, too little money', async () => {
    const { from, body } = await sides();
    expectRefused(await create({ ...body, payee_wallet_id: from.id }), 422, 'same_wallet');
    const { wallet } = await openWallet(harness.test, { currency: 'EUR' });
    expectRefused(await create({ ...body, payee_wallet_id: wallet.id }), 422, 'currency_mismatch');
    expectRefused(await create({ ...body, deposit_amount: '1000.01' }), 422, 'insufficient_balance', { available: '1000.00' });
  });

  it('makes one session for a key', async () => {
    const { from, body } = await sides();
    const ask = () => harness.test.post('/v1/mpp/sessions', body, { headers: { 'idempotency-key': `key-${from.id}` } });
    const [first, second] = [await ask(), await ask()];
    expect(second.body.data).toMatchObject({ id: first.body.data.id });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00' });
  });
});

describe('POST /v1/mpp/sessions?dry_run=true', () => {
  it('200: says what it would do, and changes nothing', async () => {
    const { from, body } = await sides();
    const { body: answer } = await harness.test.post('/v1/mpp/sessions?dry_run=true', body);
    expect(answer.data.decision).toMatchObject({ outcome: 'allow' });
    expect(answer.data.would_post.map(({ account, direction }: Json) => `${direction} ${account}`)).toEqual([
      'debit wallet.available',
      'credit mpp.escrow',
    ]);
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00' });
  });
});

describe('GET /v1/mpp/sessions', () => {
  it('200: those of either side, and of a status', async () => {
    const { payer, payee, from, session } = await newMppSession(harness.test);
    await newMppSession(harness.test);
    for (const { token } of [payer, payee]) {
      expect((await harness.test.get('/v1/mpp/sessions', { as: token })).body.data).toMatchObject([{ id: session.id }]);
    }
    const of = async (query: string) => (await harness.test.get(`/v1/mpp/sessions?wallet_id=${from.id}&${query}`)).body.data;
    expect(await of(`status=open&agent_id=${payer.id}`)).toMatchObject([{ id: session.id }]);
    expect(await of('status=closed')).toEqual([]);
  });
});
