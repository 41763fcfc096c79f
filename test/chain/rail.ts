// A rail of production over a chain for tests: an Anvil, a file of rails that names it, keys in keystores, and money in both places.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EvmChain } from '../../src/contexts/evm/chain.js';
import { evmChains } from '../../src/contexts/evm/configured-chain.js';
import { accountXpub, addressOfKey, keccak } from '../../src/contexts/evm/evm.js';
import { sealKeystore } from '../../src/contexts/evm/keystore.js';
import { tendChain } from '../../src/contexts/evm/work.js';
import { configuredRail, configuredRails } from '../../src/contexts/rails/configured-rails.js';
import { examine, lookAt } from '../../src/contexts/rails/doctor.js';
import { fundWallet } from '../../src/contexts/transfers/funding.js';
import type { ChainAddress } from '../../src/contexts/x402/chain/address.js';
import { workspaceOf } from '../../src/platform/ctx.js';
import { systemCtx } from '../../src/platform/due/step.js';
import { type Harness, type Json, openWallet } from '../harness.js';
import { Anvil, type AnvilOptions } from './anvil.js';

export const railName = 'usdc-base-sepolia';

/** A cheap password: what it costs to guess is no matter of these tests. */
const cost = { N: 2, r: 8, p: 1 };

/** What of the file is other than usual, as YAML below the rail. */
export interface ChainRailOptions {
  settings?: string;
  /** Wallets have addresses on the chain. */
  deposits?: true;
  /** Money is booked by blocks that are so deep; 3 by default. */
  credit?: number;
  anvil?: AnvilOptions;
  /** Between the platform and the node; of several nodes two must agree. */
  through?: (url: string) => Promise<string | readonly string[]>;
  /** How many nodes there are; one by default. */
  nodes?: number;
  /** The relayer is the last account of the node, which signs for it at the first URL. */
  remoteRelayer?: true;
}

/** The tenth account of every Anvil. */
const lastAccount = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720';

/** What opens everything. */
interface Secrets {
  treasury: Uint8Array;
  relayer: Uint8Array;
  seed: Uint8Array;
  password: string;
}

/** A chain, and the file that names it. Made before the platform starts; the chain is started by `start`. */
export class ChainRail {
  readonly file: string;
  readonly treasury: ChainAddress;
  readonly relayer: ChainAddress;
  /** What nobody may be shown, by what it is. */
  readonly secrets: Readonly<Record<keyof Secrets, Uint8Array>>;
  readonly #folder: string;
  readonly #options: ChainRailOptions;
  anvil!: Anvil;

  private constructor(folder: string, { treasury, relayer, seed, password }: Secrets, options: ChainRailOptions) {
    this.#folder = folder;
    this.file = path.join(folder, 'rails.yaml');
    this.treasury = addressOfKey(treasury);
    this.relayer = options.remoteRelayer === true ? lastAccount : addressOfKey(relayer);
    this.secrets = { treasury, relayer, seed, password: Buffer.from(password) };
    this.#options = options;
  }

  /** Writes the file and its keystores. */
  static async prepare(options: ChainRailOptions = {}): Promise<ChainRail> {
    const folder = mkdtempSync(path.join(tmpdir(), 'rails-'));
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    const password = randomBytes(16).toString('hex');
    const keys = { treasury: randomBytes(32), relayer: randomBytes(32) };
    for (const [name, key] of Object.entries(keys)) write(`${name}.json`, await sealKeystore(key, password, { withAddress: true, cost }));
    write('password', password);
    const seed = randomBytes(32);
    write('seed.json', await sealKeystore(seed, password, { withAddress: false, cost }));
    const { settings = '', deposits, credit = 3, nodes = 1, remoteRelayer } = options;
    const ofRelayer = `{ remote: { file: url-0 }, address: "${lastAccount}" }`;
    const ofWallets = `    deposits: { xpub: ${accountXpub(seed)}, key: { keystore: seed.json, password: { file: password } } }\n`;
    write(
      'rails.yaml',
      `version: 1
rails:
  ${railName}:
    kind: evm
    chain: base-sepolia
    limits: { per_order: "1000.00", per_day: "5000.00", per_day_count: 10000 }
    rpc: [${Array.from({ length: nodes }, (_, at) => `{ file: url-${at} }`).join(', ')}]
    relayers: [${remoteRelayer === true ? ofRelayer : '{ keystore: relayer.json, password: { file: password } }'}]
    treasury: { keystore: treasury.json, password: { file: password } }
    confirmations: { credit: ${credit} }
    gas: { max_fee_gwei: 100, low_balance: "0.01" }
${deposits === true ? ofWallets : ''}${settings}`,
    );
    return new ChainRail(folder, { ...keys, seed, password }, options);
  }

  /** Starts the chain, with gas at the relayer and money at the treasury. */
  async start(): Promise<void> {
    this.anvil = await Anvil.start(this.#options.anvil);
    const urls = [(await this.#options.through?.(this.anvil.url)) ?? this.anvil.url].flat();
    for (const [at, url] of urls.entries()) writeFileSync(path.join(this.#folder, `url-${at}`), url, { mode: 0o600 });
    await this.anvil.fund(this.relayer);
    await this.anvil.setMoney(this.treasury, 1_000_000_000_000n);
    await this.anvil.mine(4);
  }

  async stop(): Promise<void> {
    await this.anvil?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** One round of the platform over the chain, and of what follows from it. */
  async round(harness: Harness): Promise<void> {
    const { timestamp } = await this.anvil.ask('eth_getBlockByNumber', 'latest', false);
    const at = Math.max(Date.now(), Number(timestamp) * 1_000, harness.clock.now().getTime());
    harness.clock.set(new Date(at).toISOString());
    await harness.runDue();
    for (const chain of this.chains(harness)) await this.tend(harness, chain);
    await harness.runDue();
  }

  /** Two rounds: what the first has learned of a block is followed in the second. */
  async rounds(harness: Harness, count = 2): Promise<void> {
    for (let at = 0; at < count; at += 1) await this.round(harness);
  }

  /** Makes blocks, and lets the platform read them. */
  async mine(harness: Harness, count = 1): Promise<void> {
    await this.anvil.mine(count);
    await this.rounds(harness);
  }

  /** How the rail stands, and why. */
  async standing(harness: Harness): Promise<[status: string, reason: string | undefined]> {
    const { status, reason } = (await harness.live.get(`/v1/rails/${railName}`)).body.data;
    return [status, reason];
  }

  /** The path of the same file that names the tenant of a test as who runs the platform: commands need it where there are two. */
  namedFile({ tenantId }: Harness): string {
    const file = path.join(this.#folder, 'named.yaml');
    writeFileSync(file, `operator: ${tenantId}\n${readFileSync(this.file, 'utf8')}`);
    return file;
  }

  chains(harness: Harness): readonly EvmChain[] {
    return harness.platform.extensions.of(evmChains);
  }

  /** One round of a chain alone, at the time that the clock has. */
  async tend(harness: Harness, chain: EvmChain): Promise<void> {
    await tendChain(harness.platform, chain);
  }

  /** What is looked at every minute. */
  async look(harness: Harness): Promise<void> {
    const rail = configuredRail(harness, railName);
    if (rail !== undefined) await lookAt(harness.platform, rail);
    harness.platform.cache.clear();
  }

  /** Pays an address with money that is made for it, in a transaction that waits for its block. The hash of it. */
  pay(address: ChainAddress, value: bigint): Promise<string> {
    const [to, amount] = [address.slice(2), value.toString(16)].map((digits) => digits.padStart(64, '0'));
    return this.#send(`${this.selector('mint(address,uint256)')}${to}${amount}`);
  }

  /** Pays many at once, in one transaction that waits for its block: code that is run and deployed nowhere. The hash of it. */
  async payAll(payments: readonly (readonly [address: ChainAddress, value: bigint])[]): Promise<string> {
    const calls = payments.map(([address, value]) => {
      const amount = value.toString(16).padStart(64, '0');
      // The memory has mint(address, value), and the token is called with it.
      const content = `63${this.selector('mint(address,uint256)').slice(2)}60e01b60005273${address.slice(2)}6004527f${amount}602452`;
      return `${content}6000600060446000600073${this.anvil.token.slice(2)}5af150`;
    });
    const [from] = await this.anvil.ask('eth_accounts');
    const fees = { maxPriorityFeePerGas: '0x2540be400', maxFeePerGas: '0x4a817c800' };
    return this.anvil.ask('eth_sendTransaction', { from, data: `0x${calls.join('')}00`, gas: '0x800000', ...fees });
  }

  /** Has the token refuse every transfer, or take them again. */
  async pause(isPaused: boolean): Promise<void> {
    await this.#send(`${this.selector('pause(bool)')}${(isPaused ? '1' : '0').padStart(64, '0')}`);
  }

  async #send(data: string): Promise<string> {
    const [from] = await this.anvil.ask('eth_accounts');
    const fees = { maxPriorityFeePerGas: '0x2540be400', maxFeePerGas: '0x4a817c800' };
    return this.anvil.ask('eth_sendTransaction', { from, to: this.anvil.token, data, gas: '0x30000', ...fees });
  }

  /** What the data of a call begins with. */
  selector(signature: string): string {
    return keccak(Buffer.from(signature)).slice(0, 10);
  }

  /** Has the doctor look at the rail, and switches it on. */
  async switchOn(harness: Harness): Promise<Json> {
    harness.clock.set(new Date().toISOString());
    // The tenants of a test are made after the file was read.
    Object.assign(harness.platform.extensions.of(configuredRails), { operator: harness.tenantId });
    harness.platform.cache.clear();
    const rail = configuredRail(harness, railName);
    if (rail === undefined) throw new Error('the file names no such rail');
    const findings = await examine(harness.platform, rail);
    const wrong = findings.filter(({ ok }) => !ok);
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
    return harness.live.make(`/v1/rails/${railName}/switch`, { to: 'on', reason: 'test' });
  }
}

/** A wallet of production with money that came from nowhere. */
export async function fundedLiveWallet(harness: Harness, amount: string): Promise<Json> {
  const { wallet } = await openWallet(harness.live, { currency: 'USDC' });
  const row = await harness.platform.database.unscoped.workspace.findFirstOrThrow({
    where: { tenantId: harness.tenantId, environment: 'live' },
  });
  const ctx = systemCtx(harness.platform, workspaceOf(row), { action: 'fundWallet', resourceType: 'transfer' });
  // As in a sandbox, where money is made so.
  await fundWallet({ ...ctx, workspace: { ...ctx.workspace, environment: 'test' } }, { id: wallet.id, amount });
  return wallet;
}
