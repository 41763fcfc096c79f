// Money on its way over a chain in tests: payouts, deposits, payments of x402 and sweeps, each begun by one call, and what must be true of all of
// them at every instant, by the chain's own logs.
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { addressTopic, topics } from '../../src/contexts/evm/token.js';
import type { ChainAddress } from '../../src/contexts/x402/chain/address.js';
import { signedAs } from '../factories/chain.js';
import { base64, endpointBody } from '../factories/x402.js';
import { type Answer, type Harness, type Json, openWallet } from '../harness.js';
import { type ChainRail, fundedLiveWallet, railName } from './rail.js';

/** A payout, and the address that has nothing but it. */
export interface SentPayout {
  id: string;
  payee: ChainAddress;
  value: bigint;
}

/** What was sent to the address of a wallet. */
export interface SentDeposit {
  wallet: Json;
  address: ChainAddress;
  value: bigint;
  txHash: string;
}

/** A request that pays, on its way. */
export interface SentCall {
  payer: PrivateKeyAccount;
  payload: Json;
  answer: Promise<Answer>;
}

/** The money of one rail. */
export class ChainMoney {
  readonly #rail: ChainRail;
  readonly #harness: Harness;
  /** How deep a block lies by which money is booked. */
  readonly #credit: number;
  /** Wallets that nothing but the chain pays, by address. */
  readonly #wallets = new Map<ChainAddress, Json>();
  readonly #payouts: SentPayout[] = [];
  #payer!: Json;
  #endpoint!: Json;
  #payees = 0;
  /** Each round is followed by check(). A test whose chain takes deep blocks back checks by itself. */
  isChecked = true;

  private constructor(rail: ChainRail, harness: Harness, credit: number) {
    this.#rail = rail;
    this.#harness = harness;
    this.#credit = credit;
  }

  /** Switches a rail on, with a wallet that pays and an endpoint that is paid. */
  static async begin(rail: ChainRail, harness: Harness, credit: number): Promise<ChainMoney> {
    const money = new ChainMoney(rail, harness, credit);
    money.#payer = await fundedLiveWallet(harness, '10000.00');
    await rail.switchOn(harness);
    await rail.round(harness);
    // What is proven is deep, and was looked at whole, as all addresses are once a minute.
    await money.mine(credit + 1);
    await money.pass(61);
    const { account, wallet } = await openWallet(harness.live, { currency: 'USDC' });
    await money.#addressOf(wallet);
    const body = endpointBody(account, { receiver_wallet_id: wallet.id, network: 'eip155:84532' });
    money.#endpoint = await harness.live.make('/v1/x402/endpoints', body);
    return money;
  }

  async #addressOf(wallet: Json): Promise<ChainAddress> {
    const { address } = await this.#harness.live.make(`/v1/wallets/${wallet.id}/deposit-addresses`, { rail: railName });
    this.#wallets.set(address.toLowerCase(), wallet);
    return address.toLowerCase();
  }

  /** Asks for a payout of 1.25. */
  async payOut(): Promise<SentPayout> {
    const payee = `0x${(0xcafe0000 + ++this.#payees).toString(16).padStart(40, '0')}` as const;
    const destination = { type: 'wallet', ref: payee };
    const order = { wallet_id: this.#payer.id, amount: '1.25', currency: 'USDC', rail: railName, destination };
    const { id } = await this.#harness.live.make('/v1/payouts', order);
    const sent = { id, payee, value: 1_250_000n };
    this.#payouts.push(sent);
    return sent;
  }

  /** Sends money to the address of a new wallet, in a transaction that waits for its block. */
  async deposit(value: bigint): Promise<SentDeposit> {
    const { wallet } = await openWallet(this.#harness.live, { currency: 'USDC' });
    const address = await this.#addressOf(wallet);
    return { wallet, address, value, txHash: await this.#rail.pay(address, value) };
  }

  /** Somebody outside with 1.00 signs a payment for a request. */
  async signedCall(): Promise<Pick<SentCall, 'payer' | 'payload'>> {
    const payer = privateKeyToAccount(generatePrivateKey());
    await this.#rail.anvil.setMoney(payer.address.toLowerCase() as ChainAddress, 1_000_000n);
    await this.mine();
    const [offer] = (await this.door()).body.accepts;
    // The official client goes by the clock of the machine, and the chain of a test is ahead of it.
    const now = Math.floor(this.#harness.clock.now().getTime() / 1_000);
    const payload = await signedAs(payer, offer, { validAfter: String(now - 600), validBefore: String(now + offer.maxTimeoutSeconds) });
    return { payer, payload };
  }

  /** Asks whether a payment would be taken. */
  verify({ payload }: Pick<SentCall, 'payload'>): Promise<Answer> {
    const asked = { x402Version: 2, paymentPayload: payload, paymentRequirements: payload.accepted };
    return this.#harness.live.post('/v1/x402/facilitator/verify', asked);
  }

  /** Somebody pays for a request, in a transaction that was signed here and waits for its block. */
  async sentCall(): Promise<SentCall & { form: Json }> {
    const { payer, payload } = await this.signedCall();
    let answer: Promise<Answer> | undefined;
    const form = await this.untilSigned(async () => {
      answer = this.pay(payload);
    });
    return { payer, payload, answer: answer as Promise<Answer>, form };
  }

  /** Asks the endpoint. */
  door(headers: Record<string, string> = {}): Promise<Answer> {
    return this.#harness.live.get(`/x402/${this.#endpoint.id}`, { as: null, headers });
  }

  /** Asks it with a payment. */
  pay(payload: Json): Promise<Answer> {
    return this.door({ 'PAYMENT-SIGNATURE': base64(payload) });
  }

  /** Goes on until one more transaction was signed here. The newest. */
  async untilSigned(act: () => Promise<unknown>): Promise<Json> {
    const { chainForm } = this.#harness.platform.database.unscoped;
    const before = await chainForm.count();
    await act();
    for (let round = 0; (await chainForm.count()) === before; round += 1) {
      if (round === 50) throw new Error('nothing was sent');
      await this.round();
    }
    return chainForm.findFirstOrThrow({ orderBy: { nonce: 'desc' } });
  }

  /** One round of the platform; then nobody has what the chain of that moment does not say. */
  async round(): Promise<void> {
    await this.#rail.round(this.#harness);
    if (this.isChecked) await this.check();
  }

  /** Makes blocks, and lets the platform read them. */
  async mine(count = 1): Promise<void> {
    await this.#rail.anvil.mine(count);
    await this.round();
    await this.round();
  }

  /** Lets time go on, of the chain and of the platform. */
  async pass(seconds: number): Promise<void> {
    await this.#rail.anvil.ask('evm_increaseTime', seconds);
    await this.mine();
  }

  /** Lets time go on until something is so: what waits is sent again, and then the block at which it is decided is met one by one. */
  async passUntil(isSo: () => Promise<boolean>): Promise<void> {
    for (let sent = 0; sent < 2; sent += 1) if (!(await isSo())) await this.pass(20);
    if (!(await isSo())) await this.mine(Math.max(1, this.#credit - 4));
    for (let made = 0; !(await isSo()); made += 1) {
      if (made === 16) throw new Error(`it has not become so: ${JSON.stringify(await this.#whereabouts())}`);
      await this.pass(5);
    }
  }

  /** How far the chain and its reading are, and what waits. */
  async #whereabouts(): Promise<object> {
    const { rows } = await this.#harness.platform.database.pool.query(
      `SELECT (SELECT max(number)::int FROM chain_block) AS read, (SELECT decided_to::int FROM chain_watch) AS decided,
         (SELECT count(*)::int FROM chain_transaction WHERE mined_hash IS NULL) AS open`,
    );
    const pool = await this.#rail.anvil.ask('txpool_status');
    return { ...rows[0], head: await this.height(), pool, standing: await this.#rail.standing(this.#harness) };
  }

  /** What the token says of transfers up to a block. */
  async transfers(toBlock: number, { from = null, to = null }: { from?: ChainAddress | null; to?: ChainAddress | null }): Promise<Json[]> {
    const topicOf = (address: ChainAddress | null) => (address === null ? null : addressTopic(address));
    const filter = { fromBlock: '0x0', toBlock: `0x${toBlock.toString(16)}`, address: this.#rail.anvil.token };
    const logs: Json[] = await this.#rail.anvil.ask('eth_getLogs', { ...filter, topics: [topics.transfer, topicOf(from), topicOf(to)] });
    return logs.map(({ topics: [, payer, payee], data }) => ({
      from: `0x${payer.slice(-40)}`,
      to: `0x${payee.slice(-40)}`,
      value: BigInt(data),
    }));
  }

  /** How often an address was paid in the chain of this moment. */
  async timesPaid(to: ChainAddress): Promise<number> {
    return (await this.transfers(await this.height(), { to })).length;
  }

  async height(): Promise<number> {
    return Number(await this.#rail.anvil.ask('eth_blockNumber'));
  }

  /** Nothing is credited, complete or on the statement that is not as deep as it must be in the chain of this moment. */
  async check(): Promise<void> {
    const { live, platform } = this.#harness;
    const deep = (await this.height()) - this.#credit + 1;
    const all = deep < 0 ? [] : await this.transfers(deep, {});
    const sum = (of: (transfer: Json) => boolean) => all.filter(of).reduce((total, { value }) => total + value, 0n);
    // The one that calls pay, and the newest.
    const wallets = [...this.#wallets];
    for (const [address, { id }] of [...wallets.slice(0, 1), ...wallets.slice(-1)]) {
      const { available } = (await live.get(`/v1/wallets/${id}`)).body.data.balance;
      expect(unitsOf(available)).toBeLessThanOrEqual(sum(({ to }) => to === address));
    }
    for (const { id, payee, value } of this.#payouts.slice(-2)) {
      const { status } = (await live.get(`/v1/payouts/${id}`)).body.data;
      if (status === 'complete') expect(sum(({ to }) => to === payee)).toBe(value);
    }
    const lines = await platform.database.unscoped.railStatement.findMany({ select: { direction: true, amount: true } });
    const booked = (which: string) => lines.reduce((total, { direction, amount }) => total + (direction === which ? amount : 0n), 0n);
    expect(booked('credit')).toBeLessThanOrEqual(sum(({ to }) => this.#wallets.has(to)));
    expect(booked('debit')).toBeLessThanOrEqual(sum(({ from }) => from === this.#rail.treasury));
  }

  /** What is outside and what the ledger says agree to the unit, and no nonce is left out. */
  async expectProven(): Promise<void> {
    const { status, body } = await this.#harness.live.get(`/v1/rails/${railName}/proof`);
    expect([status, body.data?.difference]).toEqual([200, '0.00']);
    const { rows } = await this.#harness.platform.database.pool.query('SELECT max(nonce) + 1 - count(*) AS holes FROM chain_transaction');
    expect(rows).toEqual([{ holes: '0' }]);
  }
}

/** An amount of the platform in base units of the token. */
export function unitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
