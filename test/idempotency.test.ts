// One key, one effect, on real operations through REST and GraphQL (CONTRACT.md 0 "Idempotency").
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { enrol } from './contexts/agents/identity.js';
import { balanceOf, newAccount, transferBody, twoWallets } from './factories/payment.js';
import { type Answer, type CallOptions, type Json, openWallet, useHarness } from './harness.js';
import { expectInvalid, expectRefused } from './refusal.js';

const harness = useHarness();
const keyed = (key: string, options: CallOptions = {}): CallOptions => ({ ...options, headers: { 'Idempotency-Key': key } });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed');

/** Sends until the key is no longer in flight. */
async function settle(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409 || answer.body.code !== 'idempotency_in_flight') return answer;
    expect(answer.headers.get('retry-after')).toBe('1');
  }
}

/** Fifty at once with one key: the same effect once, the same answer to whoever gets one. */
async function fiftyAtOnce(send: (key: string) => Promise<Answer>): Promise<Answer> {
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(key)));
  const done = answers.filter(({ status }) => status < 300);
  expect(done.length).toBeGreaterThan(0);
  for (const answer of answers)
    if (answer.status >= 300) expectRefused(answer, 409, 'idempotency_in_flight', { retry: { same_key: true } });
  expect(done.filter((answer) => replayed(answer) === null)).toHaveLength(1);
  const last = await settle(() => send(key));
  expect(replayed(last)).toBe('true');
  for (const { status, body } of done) expect({ status, body }).toEqual({ status: last.status, body: last.body });
  return last;
}

describe('fifty calls at once with one key', () => {
  it('pay once', async () => {
    const { from, to } = await twoWallets(harness.test);
    const last = await fiftyAtOnce((key) => harness.test.post('/v1/transfers', transferBody(from, to, '2.00'), keyed(key)));
    expect(last.body.data.status).toBe('completed');
    expect([await available(from), await available(to)]).toEqual(['98.00', '2.00']);
  });

  it('hold once, and capture once', async () => {
    const { from, to } = await twoWallets(harness.test);
    const held = await fiftyAtOnce((key) =>
      harness.test.post('/v1/transfers', transferBody(from, to, '2.00', { capture: 'manual' }), keyed(key)),
    );
    const path = `/v1/transfers/${held.body.data.id}/capture`;
    expect((await fiftyAtOnce((key) => harness.test.post(path, {}, keyed(key)))).body.data.status).toBe('completed');
    expect([await available(from), await available(to)]).toEqual(['98.00', '2.00']);
  });

  it('fund once', async () => {
    const { wallet } = await openWallet(harness.test);
    await fiftyAtOnce((key) => harness.test.post(`/v1/wallets/${wallet.id}/fund`, { amount: '3.00' }, keyed(key)));
    expect(await available(wallet)).toBe('3.00');
  });

  it('open one account', async () => {
    const body = { type: 'person', name: 'Ada', customer_reference: 'fifty' };
    await fiftyAtOnce((key) => harness.test.post('/v1/accounts', body, keyed(key)));
    expect((await harness.test.get('/v1/accounts?customer_reference=fifty')).body.pagination.total).toBe(1);
  });

  it('schedule one transfer', async () => {
    const { from, to } = await twoWallets(harness.test);
    const body = transferBody(from, to, '1.00', { scheduled_for: '2030-01-01T00:00:00Z' });
    await fiftyAtOnce((key) => harness.test.post('/v1/transfers', body, keyed(key)));
    expect((await harness.test.get(`/v1/transfers?wallet_id=${to.id}`)).body.pagination.total).toBe(1);
  });

  it('pay once over GraphQL', async () => {
    const { from, to } = await twoWallets(harness.test);
    const mutation = 'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { id status amount } } }';
    const input = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '2.00', currency: 'USD' };
    const key = randomUUID();
    const send = () => harness.test.graphql(mutation, { input }, keyed(key));
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    const paid = answers.filter(({ body }) => body.data?.createTransfer);
    expect(new Set(paid.map(({ body }) => body.data.createTransfer.transfer.id)).size).toBe(1);
    for (const { body } of answers) if (!body.data?.createTransfer) expect(body.errors[0].extensions.code).toBe('idempotency_in_flight');
    const again = await send();
    expect(replayed(again)).toBe('true');
    expect(again.body).toEqual(paid[0]?.body);
    expect([await available(from), await available(to)]).toEqual(['98.00', '2.00']);
  });
});

describe('a replay', () => {
  it('has the status and the body of the first call, however the key is quoted', async () => {
    const { from, to } = await twoWallets(harness.test);
    const send = (key: string) => harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), keyed(key));
    const first = await send('quoted-or-not');
    expect([first.status, replayed(first)]).toEqual([201, null]);
    for (const key of ['quoted-or-not', '"quoted-or-not"']) {
      const again = await send(key);
      expect([again.status, replayed(again), again.body]).toEqual([201, 'true', first.body]);
    }
  });

  it('does not mind the order of members, nor how a number is written', async () => {
    const { from, to } = await twoWallets(harness.test);
    const body = { capture: 'manual', hold_expires_in: 60, metadata: { a: 1, b: [2] } };
    const first = await harness.test.post('/v1/transfers', transferBody(from, to, '1.00', body), keyed('canonical'));
    const raw = JSON.stringify({ metadata: { b: [2], a: 1 }, ...transferBody(from, to, '1.00'), hold_expires_in: 60, capture: 'manual' });
    const again = await harness.test.post(
      '/v1/transfers',
      undefined,
      keyed('canonical', { raw: raw.replace('"hold_expires_in":60', '"hold_expires_in":60.0') }),
    );
    expect([again.status, replayed(again)]).toEqual([201, 'true']);
    expect(again.body.data.id).toBe(first.body.data.id);
  });

  it('of a payment succeeds though the money is gone, the wallet frozen and the payer suspended', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
    const send = () => harness.test.post('/v1/transfers', transferBody(from, to, '10.00'), keyed('all-of-it'));
    const first = await send();
    expect(await available(from)).toBe('0.00');
    await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
    await harness.test.patch(`/v1/accounts/${from.account_id}`, { status: 'suspended' });
    const again = await send();
    expect([again.status, replayed(again), again.body]).toEqual([201, 'true', first.body]);
  });

  it('of a change, of a step, and of a deletion: the answer of then', async () => {
    const account = await newAccount(harness.test);
    const rename = (name: string, key: string) => harness.test.patch(`/v1/accounts/${account.id}`, { name }, keyed(key));
    const first = await rename('First', 'rename');
    await rename('Second', 'rename-again');
    const again = await rename('First', 'rename');
    expect([again.status, replayed(again), again.body]).toEqual([200, 'true', first.body]);
    expect((await harness.test.get(`/v1/accounts/${account.id}`)).body.data.name).toBe('Second');
    const { wallet } = await openWallet(harness.test);
    const freeze = () => harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {}, keyed('freeze'));
    expect((await freeze()).status).toBe(200);
    await harness.test.make(`/v1/wallets/${wallet.id}/unfreeze`, {});
    const frozen = await freeze();
    expect([frozen.status, replayed(frozen), frozen.body.data.status]).toEqual([200, 'true', 'frozen']);
    expect((await harness.test.get(`/v1/wallets/${wallet.id}`)).body.data.status).toBe('active');
    const apiKey = await harness.test.make('/v1/api-keys', { name: 'Shop' });
    const revoke = () => harness.test.delete(`/v1/api-keys/${apiKey.id}`, keyed('revoke'));
    const revoked = await revoke();
    const revokedAgain = await revoke();
    expect([revokedAgain.status, replayed(revokedAgain), revokedAgain.body]).toEqual([200, 'true', revoked.body]);
  });

  it('without the rendered body is rendered from the reference', async () => {
    const { from, to } = await twoWallets(harness.test);
    const send = () => harness.test.post('/v1/transfers', transferBody(from, to, '1.00', { capture: 'manual' }), keyed('no-body'));
    const first = await send();
    const { pool } = harness.platform.database;
    const forget = async () =>
      (
        await pool.query(
          'DELETE FROM keyed_answer a USING claim c WHERE c.reference = $1 AND (a.workspace_id, a.key) = (c.workspace_id, c.key)',
          [first.body.data.id],
        )
      ).rowCount;
    await expect.poll(forget).toBe(1);
    await harness.test.make(`/v1/transfers/${first.body.data.id}/capture`, {});
    const again = await send();
    expect([again.status, replayed(again)]).toEqual([201, 'true']);
    expect(again.body.data).toMatchObject({ id: first.body.data.id, status: 'completed' });
  });

  it('never tells a secret', async () => {
    const account = await newAccount(harness.test);
    const send = () =>
      harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'A', generate_keypair: true }, keyed('secrets'));
    const first = await send();
    const again = await send();
    expect(again.status).toBe(201);
    expect(again.body.data.id).toBe(first.body.data.id);
    const text = JSON.stringify(again.body);
    for (const secret of [first.body.credentials.token, first.body.authKey.privateKey]) expect(text).not.toContain(secret);
  });
});

describe('a key', () => {
  it('used for another body, another path, or another query is 422 or another operation', async () => {
    const { from, to } = await twoWallets(harness.test);
    await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), keyed('taken'));
    for (const body of [transferBody(from, to, '1.01'), transferBody(from, to, '1.00', { metadata: {} }), transferBody(to, from, '1.00')]) {
      expectRefused(await harness.test.post('/v1/transfers', body, keyed('taken')), 422, 'idempotency_key_reused');
    }
    expect(await available(from)).toBe('99.00');
    await harness.test.post(`/v1/wallets/${from.id}/wrap`, { amount: '1.00' }, keyed('wrap'));
    expectRefused(await harness.test.post(`/v1/wallets/${to.id}/wrap`, { amount: '1.00' }, keyed('wrap')), 422, 'idempotency_key_reused');
    expect((await harness.test.post(`/v1/wallets/${from.id}/unwrap`, { amount: '1.00' }, keyed('wrap'))).status).toBe(201);
  });

  it('of a refusal may be used again, also for another body', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    const send = (amount: string) => harness.test.post('/v1/transfers', transferBody(from, to, amount), keyed('refused'));
    expectRefused(await send('2.00'), 422, 'insufficient_balance');
    expectInvalid(await send('0.001'), 'amount');
    await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '1.00' });
    const paid = await send('2.00');
    expect([paid.status, replayed(paid)]).toEqual([201, null]);
    expect(replayed(await send('2.00'))).toBe('true');
  });

  it('of two actors, two tenants and two environments has an effect for each', async () => {
    const { account, wallet } = await openWallet(harness.test);
    const [first, second] = [
      await enrol(harness.test, { parent_account_id: account.id }),
      await enrol(harness.test, { parent_account_id: account.id }),
    ];
    for (const { id, token } of [first, second]) {
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '5.00' });
      const answer = await harness.test.post('/v1/transfers', transferBody(agentWallet, wallet, '1.00'), keyed('shared', { as: token }));
      expect([answer.status, replayed(answer)]).toEqual([201, null]);
    }
    expect(await available(wallet)).toBe('2.00');
    const body = { type: 'person', name: 'Ada' };
    const ids = await Promise.all(
      [harness.test, harness.other, harness.live].map(
        async (client) => (await client.post('/v1/accounts', body, keyed('shared'))).body.data.id,
      ),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it('is forgotten after a day', async () => {
    const { from, to } = await twoWallets(harness.test);
    const send = () => harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), keyed('a-day'));
    const first = await send();
    harness.clock.advance(86_399);
    expect(replayed(await send())).toBe('true');
    harness.clock.advance(1);
    const next = await send();
    expect([next.status, replayed(next)]).toEqual([201, null]);
    expect(next.body.data.id).not.toBe(first.body.data.id);
  });

  it('that is none is 400', async () => {
    const { from, to } = await twoWallets(harness.test);
    for (const key of ['x'.repeat(256), '""', '" "']) {
      expectInvalid(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), keyed(key)), 'Idempotency-Key');
    }
    expect((await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), keyed('x'.repeat(255)))).status).toBe(201);
    expect(await available(from)).toBe('99.00');
  });

  it('on a read means nothing', async () => {
    for (let n = 0; n < 2; n += 1) {
      const answer = await harness.test.get('/v1/accounts', keyed('read'));
      expect([answer.status, replayed(answer)]).toEqual([200, null]);
    }
  });
});
