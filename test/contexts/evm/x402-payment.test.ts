// x402 over a real chain: the call is served when a block has the payment, and the wallet is credited when that block is deep. Blocks are made
// by hand; payloads are signed by the official client.
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { signed, signedAs } from '../../factories/chain.js';
import { base64, endpointBody, unbase64 } from '../../factories/x402.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';

const rail = await ChainRail.prepare({
  deposits: true,
  anvil: { args: ['--no-mining'] },
  settings: '    answer_limit: { per_payment: "0.50", open: "0.60" }\n',
});
const network = 'eip155:84532';

describe.runIf(hasAnvil)(`x402 over a chain${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let account: Json;
  let wallet: Json;
  let endpoint: Json;
  beforeAll(async () => {
    ({ account, wallet } = await openWallet(harness.live, { currency: 'USDC' }));
    await rail.switchOn(harness);
    await rail.round(harness);
    endpoint = await harness.live.make('/v1/x402/endpoints', endpointBody(account, { receiver_wallet_id: wallet.id, network }));
  });

  const door = (headers: Record<string, string> = {}) => harness.live.get(`/x402/${endpoint.id}`, { as: null, headers });
  const pay = (payload: Json) => door({ 'PAYMENT-SIGNATURE': base64(payload) });
  const offer = async (): Promise<Json> => (await door()).body.accepts[0];
  const newPayer = async (money = 10_000_000n): Promise<PrivateKeyAccount> => {
    const payer = privateKeyToAccount(generatePrivateKey());
    await rail.anvil.setMoney(payer.address.toLowerCase() as ChainAddress, money);
    await rail.anvil.mine();
    return payer;
  };
  const rounds = (count?: number) => rail.rounds(harness, count);
  const mine = (count?: number) => rail.mine(harness, count);
  const forms = () => harness.platform.database.unscoped.chainForm.count();
  /** Goes on until the payment of a request was handed to the nodes, puts it into one block, and waits for the answer. */
  const inBlock = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const before = await forms();
    const asking = ask();
    while ((await forms()) === before) await rail.round(harness);
    await mine();
    return asking;
  };
  const payments = async (): Promise<Json[]> =>
    (await harness.live.get(`/v1/x402/payments?endpoint_id=${endpoint.id}&limit=100`)).body.data;
  const read = async (id: string): Promise<Json> => (await harness.live.get(`/v1/x402/payments/${id}`)).body.data;
  const balance = async (): Promise<Json> => (await harness.live.get(`/v1/wallets/${wallet.id}`)).body.data.balance;
  const facilitate = async (step: string, payload: Json, requirements: Json) =>
    (
      await harness.live.post(`/v1/x402/facilitator/${step}`, {
        x402Version: 2,
        paymentPayload: payload,
        paymentRequirements: requirements,
      })
    ).body;
  const events = async (type: string): Promise<Json[]> => (await harness.live.get(`/v1/events?type=${type}&limit=100`)).body.data;
  const settleDeep = () => mine(4);

  it('offers the chain, to the address of the wallet', async () => {
    const { body } = await harness.live.post(`/v1/wallets/${wallet.id}/deposit-addresses`, { rail: railName });
    const offered = await offer();
    expect(offered).toMatchObject({ scheme: 'exact', network, amount: '100000', asset: rail.anvil.token, maxTimeoutSeconds: 300 });
    expect(offered.payTo).toBe(body.data.address.toLowerCase());
    const paidOut = { wallet_id: wallet.id, amount: '1.00', currency: 'USDC', rail: railName };
    const refused = await harness.live.post('/v1/payouts', { ...paidOut, destination: { type: 'wallet', ref: offered.payTo } });
    expect([refused.status, refused.body.details?.fields?.[0]?.message]).toEqual([400, expect.stringContaining('a wallet here')]);
    const { kinds } = (await harness.live.get('/v1/x402/facilitator/supported', { as: null })).body;
    expect(kinds.filter((kind: Json) => kind.network === network)).toHaveLength(1);
  });

  it('serves the call when a block has the payment, and credits the wallet when it is deep', async () => {
    const payer = await newPayer();
    const { available } = await balance();
    const { payTo, ...rest } = await offer();
    const before = await rail.anvil.moneyOf(payTo);
    const { status, body, headers } = await inBlock(async () => pay(await signed(payer, { payTo, ...rest })));
    expect([status, body.paid]).toEqual([200, true]);
    const receipt = unbase64(headers.get('payment-response'));
    expect(receipt).toMatchObject({ success: true, payer: payer.address, network });
    expect(await rail.anvil.moneyOf(payTo)).toBe(before + 100_000n);

    const made = await read(body.payment_id);
    expect(made).toMatchObject({ status: 'settled', tx_hash: receipt.transaction, confirmations: expect.any(Number) });
    expect([made.credited_at, made.transfer_id]).toEqual([undefined, undefined]);
    expect(await balance()).toMatchObject({ available, pending_in: '0.10' });
    expect((await events('x402.payment.completed'))[0].data).toMatchObject({ payment_id: made.id, tx_hash: receipt.transaction });

    await settleDeep();
    const after = await read(made.id);
    expect(after).toMatchObject({ status: 'settled', credited_at: expect.any(String), transfer_id: made.id.slice(4) });
    expect(await balance()).toMatchObject({ available: (Number(available) + 0.1).toFixed(2), pending_in: '0.00' });
    const lines = await harness.platform.database.unscoped.railStatement.findMany({ where: { reference: receipt.transaction } });
    expect(lines.map(({ amount, direction }) => [amount, direction])).toEqual([[100_000n, 'credit']]);
    expect((await harness.live.get('/v1/funding/transactions')).body.data).toEqual([]);
    expect(await events('x402.payment.completed')).toHaveLength(1);
  });

  it('answers the same payload as its payment stands, until the seller has used it', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    const { body } = await inBlock(() => pay(payload));
    const again = await pay(payload);
    expect([again.status, again.body.payment_id]).toEqual([200, body.payment_id]);
    await harness.live.make(`/v1/x402/payments/${body.payment_id}/consume`, {});
    const used = await pay(payload);
    expect([used.status, used.body.error]).toEqual([402, 'invalid_transaction_state']);
    await settleDeep();
  });

  it('says that it is pending above what may be answered early, with its transaction, and is settled when it is deep', async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    const dear = await harness.live.make(
      '/v1/x402/endpoints',
      endpointBody(account, { receiver_wallet_id: wallet.id, network, base_price: '0.55' }),
    );
    const [asked] = (await harness.live.get(`/x402/${dear.id}`, { as: null })).body.accepts;
    const payload = await signed(first, asked);
    const buy = () => harness.live.get(`/x402/${dear.id}`, { as: null, headers: { 'PAYMENT-SIGNATURE': base64(payload) } });
    const asking = buy();
    await rounds(3);
    await rail.anvil.mine();
    await rounds();
    const pending = await asking;
    const said = unbase64(pending.headers.get('payment-response'));
    expect([pending.status, pending.body.error]).toEqual([402, 'settlement_pending']);
    expect(said).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await settleDeep();
    const settled = await buy();
    expect([settled.status, settled.body.paid]).toEqual([200, true]);
    expect(await read(settled.body.payment_id)).toMatchObject({ tx_hash: said.transaction, credited_at: expect.any(String) });
    expect((await inBlock(async () => pay(await signed(second, await offer())))).status).toBe(200);
    await settleDeep();
  });

  it('is paid once when the same payload comes many times at once', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    const before = (await payments()).length;
    const answers = Promise.all(Array.from({ length: 40 }, () => pay(payload)));
    let isOver = false;
    void answers.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await rail.round(harness);
      await rail.anvil.mine();
    }
    const ids = new Set((await answers).filter(({ status }) => status === 200).map(({ body }) => body.payment_id));
    expect(ids.size).toBe(1);
    expect((await payments()).length).toBe(before + 1);
    await settleDeep();
    expect(await rail.anvil.moneyOf(payer.address.toLowerCase() as ChainAddress)).toBe(9_900_000n);
  });

  it('carries again what a reorganization has taken away, and credits it once', async () => {
    const payer = await newPayer();
    const { available } = await balance();
    const { body } = await inBlock(async () => pay(await signed(payer, await offer())));
    const { confirmations } = await read(body.payment_id);
    await rail.anvil.ask('anvil_reorg', confirmations, []);
    await rounds();
    expect(await read(body.payment_id)).toMatchObject({ status: 'settled' });
    expect((await balance()).available).toBe(available);
    harness.clock.advance(20);
    for (const chain of rail.chains(harness)) await rail.tend(harness, chain);
    await settleDeep();
    await rounds();
    expect(await read(body.payment_id)).toMatchObject({ status: 'settled', credited_at: expect.any(String) });
    expect((await balance()).available).toBe((Number(available) + 0.1).toFixed(2));
    expect(await rail.anvil.moneyOf(payer.address.toLowerCase() as ChainAddress)).toBe(9_900_000n);
  });

  it('refuses what the chain would not carry, before anything is sent', async () => {
    const asked = await offer();
    const nonces = await harness.platform.database.unscoped.chainTransaction.count();
    const poor = await newPayer(1n);
    expect((await pay(await signed(poor, asked))).body.error).toBe('insufficient_funds');
    const payer = await newPayer();
    const elsewhere = { ...asked, payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' };
    expect(await facilitate('settle', await signed(payer, elsewhere), elsewhere)).toMatchObject({
      success: false,
      errorReason: 'invalid_payment_requirements',
    });
    const late = await signedAs(payer, asked, { validBefore: String(Math.floor(harness.clock.now().getTime() / 1_000) + 3) });
    expect((await pay(late)).body.error).toBe('invalid_exact_evm_payload_authorization_valid_before');
    const endless = await signedAs(payer, asked, { validBefore: (2n ** 256n - 1n).toString() });
    expect((await pay(endless)).body.error).toBe('invalid_exact_evm_payload_authorization_valid_before');
    expect(await harness.platform.database.unscoped.chainTransaction.count()).toBe(nonces);
  });

  it('takes nothing while the rail is off, and offers the ledger alone', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    await harness.live.make(`/v1/rails/${railName}/switch`, { to: 'off', reason: 'test' });
    const { accepts } = (await door()).body;
    expect(accepts.map((one: Json) => one.network)).toEqual(['ledger:live']);
    const { status, body } = await harness.live.post('/v1/x402/facilitator/settle', {
      x402Version: 2,
      paymentPayload: payload,
      paymentRequirements: payload.accepted,
    });
    expect([status, body.code, body.details.reason]).toEqual([503, 'rail_unavailable', 'switched_off']);
    await harness.live.make(`/v1/rails/${railName}/switch`, { to: 'on', reason: 'test' });
  });

  it('refuses a payer for an hour whose last three were good and reverted', async () => {
    const payer = await newPayer();
    const address = payer.address.toLowerCase() as ChainAddress;
    for (let at = 0; at < 3; at += 1) {
      await rail.anvil.setMoney(address, 10_000_000n);
      await rail.anvil.mine();
      const before = await forms();
      const asking = pay(await signed(payer, await offer()));
      while ((await forms()) === before) await rail.round(harness);
      await rail.anvil.setMoney(address, 0n);
      await mine(4);
      expect((await asking).body.error).toBe('settlement_pending');
    }
    await rail.anvil.setMoney(address, 10_000_000n);
    await mine(4);
    expect((await pay(await signed(payer, await offer()))).body.error).toBe('payer_refused');
  });

  it('fails as reorged, with nothing posted, when the authorization is over by then', async () => {
    const payer = await newPayer();
    const before = await balance();
    const { body } = await inBlock(async () => pay(await signed(payer, await offer())));
    const { confirmations, tx_hash } = await read(body.payment_id);
    await rail.anvil.ask('anvil_reorg', confirmations, []);
    await rail.anvil.setMoney(payer.address.toLowerCase() as ChainAddress, 0n);
    await rail.anvil.ask('evm_increaseTime', 400);
    await settleDeep();
    await rounds();
    expect(await read(body.payment_id)).toMatchObject({ status: 'failed', failure_reason: 'reorged' });
    expect(await balance()).toEqual(before);
    const [told] = await events('x402.payment.reversed');
    expect(told?.data).toMatchObject({ payment_id: body.payment_id, reason: 'reorged', tx_hash, amount: '0.10' });
  });

  it('counts what was answered as open when its block was taken back, until it is paid or over', async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    const dear = await harness.live.make(
      '/v1/x402/endpoints',
      endpointBody(account, { receiver_wallet_id: wallet.id, network, base_price: '0.45' }),
    );
    const buy = async (payer: PrivateKeyAccount) => {
      const [asked] = (await harness.live.get(`/x402/${dear.id}`, { as: null })).body.accepts;
      // The official client goes by the clock of the machine, and the chain is ahead of it by now.
      const now = Math.floor(harness.clock.now().getTime() / 1_000);
      const payload = await signedAs(payer, asked, { validAfter: String(now - 600), validBefore: String(now + 300) });
      const headers = { 'PAYMENT-SIGNATURE': base64(payload) };
      return harness.live.get(`/x402/${dear.id}`, { as: null, headers });
    };
    const served = (await inBlock(() => buy(first))).body.payment_id;
    await rail.anvil.ask('anvil_reorg', (await read(served)).confirmations, []);
    // It is carried again, and reverts: the payer has spent the money.
    await rail.anvil.setMoney(first.address.toLowerCase() as ChainAddress, 0n);
    await rounds();
    const before = await forms();
    const asking = buy(second);
    while ((await forms()) === before) await rail.round(harness);
    harness.clock.advance(20);
    for (const chain of rail.chains(harness)) await rail.tend(harness, chain);
    await mine();
    const standing = async ({ address }: PrivateKeyAccount) => {
      const where = { authorizer: address.toLowerCase() };
      const { state, answeredAt } = await harness.platform.database.unscoped.chainPayment.findFirstOrThrow({ where });
      return [state, answeredAt !== null];
    };
    expect([await standing(first), await standing(second)]).toEqual([
      ['signed', true],
      ['used', false],
    ]);
    await settleDeep();
    expect((await asking).status).toBe(200);
    await rail.anvil.ask('evm_increaseTime', 400);
    await settleDeep();
    expect(await read(served)).toMatchObject({ status: 'failed', failure_reason: 'reorged' });
    expect((await inBlock(async () => buy(await newPayer()))).status).toBe(200);
    await settleDeep();
  });
});
