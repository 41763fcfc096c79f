// Payers over a real chain who want to be served for nothing. Blocks are made by hand.
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatureParts } from '../../../src/contexts/evm/evm.js';
import { transferByParts } from '../../../src/contexts/evm/token.js';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { readPayload } from '../../../src/contexts/x402/chain/exact.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail } from '../../chain/rail.js';
import { signed, signedAs } from '../../factories/chain.js';
import { base64, endpointBody } from '../../factories/x402.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--no-mining'] } });
const network = 'eip155:84532';

describe.runIf(hasAnvil)(`hostile payers over a chain${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let endpoint: Json;
  beforeAll(async () => {
    const { account, wallet } = await openWallet(harness.live, { currency: 'USDC' });
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
  const facilitate = async (step: string, paymentPayload: Json, paymentRequirements: Json): Promise<Json> =>
    (await harness.live.post(`/v1/x402/facilitator/${step}`, { x402Version: 2, paymentPayload, paymentRequirements })).body;
  const read = async (id: string): Promise<Json> => (await harness.live.get(`/v1/x402/payments/${id}`)).body.data;
  const forms = () => harness.platform.database.unscoped.chainForm.count();
  /** Asks, and goes on until the payment was handed to the nodes. The answer comes when a block has it. */
  const handed = async <T>(ask: () => Promise<T>): Promise<{ answer: Promise<T> }> => {
    const before = await forms();
    const answer = ask();
    while ((await forms()) === before) await rail.round(harness);
    return { answer };
  };
  /** Sends what somebody has signed, before everything else that waits. */
  const carry = async (payload: Json) => {
    const read = readPayload(payload.payload);
    const parts = read === null ? null : signatureParts(read.signature);
    if (read === null || parts === null) throw new Error('this is no authorization');
    const [from] = await rail.anvil.ask('eth_accounts');
    const fees = { maxPriorityFeePerGas: '0x9502f9000', maxFeePerGas: '0xba43b7400' };
    const data = transferByParts(read.authorization, parts);
    await rail.anvil.ask('eth_sendTransaction', { from, to: rail.anvil.token, data, gas: '0x30000', ...fees });
  };

  it('are not served for a nonce that they have used for themselves', async () => {
    const payer = await newPayer();
    const asked = await offer();
    const payload = await signed(payer, asked);
    const { nonce } = payload.payload.authorization;
    const toThemselves = await signedAs(payer, asked, { nonce, to: payer.address, value: '1' });
    const before = await rail.anvil.moneyOf(asked.payTo);
    const asking = await handed(() => pay(payload));
    await carry(toThemselves);
    await rail.mine(harness);
    const { status, body } = await asking.answer;
    expect(await rail.anvil.moneyOf(asked.payTo)).toBe(before);
    expect([status, body.error]).toEqual([402, 'settlement_pending']);
    await rail.mine(harness, 4);
    expect((await read(body.payment_id)).status).toBe('failed');
    expect((await pay(payload)).body.error).toBe('invalid_transaction_state');
  });

  it('are served by the facilitator for what they have signed alone, and not for what they have paid at a door', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    const asking = await handed(() => pay(payload));
    const dear = { ...payload.accepted, amount: '5000000' };
    expect(await facilitate('verify', payload, dear)).toMatchObject({ isValid: false });
    await rail.mine(harness);
    expect((await asking.answer).status).toBe(200);
    for (const required of [payload.accepted, dear]) {
      expect(await facilitate('verify', payload, required)).toMatchObject({ isValid: false });
      expect(await facilitate('settle', payload, required)).toMatchObject({ success: false });
    }
    expect((await pay(payload)).status).toBe(200);
    await rail.mine(harness, 4);
  });

  it('are told once by the facilitator that they have paid, however often they ask', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    const settle = () => facilitate('settle', payload, payload.accepted);
    const asking = await handed(() => Promise.all(Array.from({ length: 20 }, settle)));
    expect(await facilitate('settle', payload, { ...payload.accepted, amount: '1' })).toMatchObject({ success: false });
    await rail.mine(harness);
    const said = await asking.answer;
    expect(said.filter(({ success }: Json) => success)).toHaveLength(1);
    expect(await settle()).toMatchObject({ success: false, errorReason: 'invalid_transaction_state' });
    expect(await facilitate('verify', payload, payload.accepted)).toMatchObject({ isValid: false });
    await rail.mine(harness, 4);
  });

  it('are told by the facilitator that they have paid when they ask again, where a block had the payment meanwhile', async () => {
    const payer = await newPayer();
    const payload = await signed(payer, await offer());
    const first = await (await handed(() => facilitate('settle', payload, payload.accepted))).answer;
    expect(first).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    await rail.mine(harness);
    expect(await facilitate('verify', payload, payload.accepted)).toMatchObject({ isValid: true });
    expect(await facilitate('settle', payload, payload.accepted)).toMatchObject({ success: true, transaction: first.transaction });
    await rail.mine(harness, 4);
  });

  it('burn no gas by showing one balance for many payments', async () => {
    const payer = await newPayer(150_000n);
    const asked = await offer();
    const payloads = await Promise.all(Array.from({ length: 6 }, () => signed(payer, asked)));
    const transactions = () => harness.platform.database.unscoped.chainTransaction.count();
    const before = await transactions();
    const asking = Promise.all(payloads.map(pay));
    const handedIn = () => harness.platform.database.unscoped.chainPayment.count({ where: { authorizer: payer.address.toLowerCase() } });
    while ((await handedIn()) < payloads.length) await Promise.race([asking, new Promise(setImmediate)]);
    await rail.rounds(harness);
    await rail.mine(harness);
    await rail.rounds(harness);
    const answers = await asking;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await rail.mine(harness, 4);
    expect(await transactions()).toBe(before + 1);
  });
});
