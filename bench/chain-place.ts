// A chain on this machine, and the settings of a server that has a rail over it: Anvil, with the token at USDC's address, keys in keystores, gas and
// money at their addresses.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { accountXpub, addressOfKey } from '../src/contexts/evm/evm.js';
import { sealKeystore } from '../src/contexts/evm/keystore.js';
import type { ChainAddress } from '../src/contexts/x402/chain/address.js';
import { Anvil } from '../test/chain/anvil.js';

export const railName = 'usdc-base-sepolia';

/** A cheap password: what it costs to guess is no matter of these figures. */
const cost = { N: 2, r: 8, p: 1 };
const password = 'of the bench';

export interface ChainPlaceOptions {
  /** Seconds from block to block. */
  blockTime: number;
  /** Between the platform and the node. */
  through?: (url: string) => Promise<string>;
}

export class ChainPlace {
  readonly anvil: Anvil;
  readonly treasury: ChainAddress;
  /** What the server is started with. */
  readonly settings: Readonly<Record<string, string>>;

  private constructor(anvil: Anvil, treasury: ChainAddress, settings: Readonly<Record<string, string>>) {
    this.anvil = anvil;
    this.treasury = treasury;
    this.settings = settings;
  }

  /** Starts the chain, and writes the file of rails into a folder. */
  static async open(scratch: string, { blockTime, through }: ChainPlaceOptions): Promise<ChainPlace> {
    const folder = path.join(scratch, 'rails');
    await mkdir(folder);
    const write = (name: string, text: string) => writeFile(path.join(folder, name), text, { mode: 0o600 });
    const keys = { treasury: randomBytes(32), relayer: randomBytes(32) };
    const seed = randomBytes(32);
    await write('password', password);
    await write('seed.json', await sealKeystore(seed, password, { withAddress: false, cost }));
    for (const [name, key] of Object.entries(keys))
      await write(`${name}.json`, await sealKeystore(key, password, { withAddress: true, cost }));
    const anvil = await Anvil.start({ args: ['--block-time', String(blockTime)] });
    const key = (name: string) => `{ keystore: ${name}.json, password: { file: password } }`;
    await write(
      'rails.yaml',
      `version: 1
rails:
  ${railName}:
    kind: evm
    chain: base-sepolia
    limits: { per_order: "1000.00", per_day: "100000.00", per_day_count: 100000 }
    rpc: [${(await through?.(anvil.url)) ?? anvil.url}]
    relayers: [${key('relayer')}]
    treasury: ${key('treasury')}
    deposits: { xpub: ${accountXpub(seed)}, key: ${key('seed')} }
    confirmations: { credit: 3 }
    answer_limit: { per_payment: "10.00", open: "100000.00" }
    gas: { max_fee_gwei: 100, low_balance: "0.01" }
`,
    );
    const treasury = addressOfKey(keys.treasury);
    await anvil.fund(addressOfKey(keys.relayer), 10n ** 20n);
    await anvil.setMoney(treasury, 1_000_000_000_000n);
    await anvil.mine(4);
    return new ChainPlace(anvil, treasury, { RAILS_FILE: path.join(folder, 'rails.yaml'), PLATFORM_MEMORY: path.join(scratch, 'memory') });
  }

  stop(): Promise<void> {
    return this.anvil.stop();
  }
}
