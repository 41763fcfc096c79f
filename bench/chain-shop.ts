// A company in production that is paid and pays over a chain: what the bench of a chain asks of the platform.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOfKey } from '../src/contexts/evm/evm.js';
import { localKey } from '../src/contexts/evm/key.js';
import type { ChainAddress } from '../src/contexts/x402/chain/address.js';
import { type ChainPlace, railName } from './chain-place.js';
import { liveKey, type Sandbox } from './platform.js';

// biome-ignore lint/suspicious/noExplicitAny: what an API answers depends on the call.
type Any = any;

export class ChainShop {
  readonly #place: ChainPlace;
  readonly #live: URL;
  readonly account: string;

  private constructor(place: ChainPlace, live: URL, account: string) {
    this.#place = place;
    this.#live = live;
    this.account = account;
  }

  /** Switches the rail on, and opens an account. */
  static async open(place: ChainPlace, sandbox: Sandbox): Promise<ChainShop> {
    await sandbox.command('rails', 'doctor', railName);
    await sandbox.command('rails', 'on', railName, '--reason', 'bench');
    const shop = new ChainShop(place, sandbox.live, '');
    const { id } = await shop.make('/v1/accounts', { type: 'business', name: 'Ada' });
    // Addresses are given from when the chain was first read.
    await pause(3_000);
    return new ChainShop(place, sandbox.live, id);
  }

  async make(target: string, body: object): Promise<Any> {
    return (await this.#ask('POST', target, body)).data;
  }

  async read(target: string): Promise<Any> {
    return (await this.#ask('GET', target)).data;
  }

  async #ask(method: string, target: string, body?: object): Promise<Any> {
    const response = await fetch(new URL(target, this.#live), {
      method,
      headers: { Authorization: `Bearer ${liveKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${target}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** A wallet with an address on the chain. */
  async newWallet(): Promise<{ id: string; address: ChainAddress }> {
    const { id } = await this.make('/v1/wallets', { owner_type: 'account', owner_id: this.account, currency: 'USDC' });
    const { address } = await this.make(`/v1/wallets/${id}/deposit-addresses`, { rail: railName });
    return { id, address: address.toLowerCase() };
  }

  async available(wallet: string): Promise<number> {
    return Number((await this.read(`/v1/wallets/${wallet}/balance`)).available);
  }

  /** Money out of nowhere, base units, to an address. The hash of its transaction, which waits for its block. */
  async mint(address: ChainAddress, value: bigint): Promise<string> {
    const [from] = await this.#place.anvil.ask('eth_accounts');
    const [to, amount] = [address.slice(2), value.toString(16)].map((digits) => digits.padStart(64, '0'));
    const { token } = this.#place.anvil;
    // mint(address,uint256)
    return this.#place.anvil.ask('eth_sendTransaction', { from, to: token, data: `0x40c10f19${to}${amount}`, gas: '0x30000' });
  }

  /** An endpoint that costs 0.10, and what it asks a payer for. */
  async newEndpoint(): Promise<Endpoint> {
    const { id: wallet } = await this.newWallet();
    const price = { base_price: '0.10', currency: 'USDC', network: this.#network };
    const body = { name: 'Call', path: '/call', method: 'GET', account_id: this.account, receiver_wallet_id: wallet, ...price };
    const { id } = await this.make('/v1/x402/endpoints', body);
    const unpaid = (await (await fetch(new URL(`/x402/${id}`, this.#live))).json()) as Any;
    return { id, wallet, offer: unpaid.accepts[0] };
  }

  get #network(): string {
    return `eip155:${this.#place.anvil.chainId}`;
  }

  /** Signed payments of as many payers, each with money. */
  async signedPayments({ offer }: Endpoint, count: number): Promise<string[]> {
    const domain = {
      name: offer.extra.name,
      version: offer.extra.version,
      chainId: BigInt(this.#place.anvil.chainId),
      verifyingContract: this.#place.anvil.token,
    };
    const made: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const secret = randomBytes(32);
      const from = addressOfKey(secret);
      await this.#place.anvil.setMoney(from, 1_000_000n);
      const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 3_600);
      const shown = { from, to: offer.payTo as ChainAddress, nonce: `0x${randomBytes(32).toString('hex')}` } as const;
      const authorization = { ...shown, value: BigInt(offer.amount), validAfter: 0n, validBefore };
      const signature = await localKey(secret).signAuthorization(domain, authorization);
      const written = { ...shown, value: offer.amount, validAfter: '0', validBefore: String(validBefore) };
      const payload = { x402Version: 2, accepted: offer, payload: { signature, authorization: written } };
      made.push(Buffer.from(JSON.stringify(payload)).toString('base64'));
    }
    return made;
  }

  /** Pays for a call. Fails unless it is served. */
  async pay({ id }: Endpoint, payment: string): Promise<void> {
    const response = await fetch(new URL(`/x402/${id}`, this.#live), { headers: { 'PAYMENT-SIGNATURE': payment } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  }
}

export interface Endpoint {
  id: string;
  wallet: string;
  offer: Any;
}
