// A chain for tests: Anvil, with the token at the address that USDC has there. `npm ci --prefix test/oracles` installs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { ChainAddress } from '../../src/contexts/x402/chain/address.js';
import { anvil } from '../oracles/installed.js';
import { artifact } from './compile.js';

/** Whether there is an Anvil to start. Without one a suite is skipped: `describe.runIf(hasAnvil)`. */
export const hasAnvil = anvil !== undefined;

/** Why a suite is skipped, for its name. */
export const withAnvil = hasAnvil ? '' : ' (skipped: npm ci --prefix test/oracles installs Anvil)';

export type Hex = `0x${string}`;

/** USDC, by the number of its chain. */
const tokens: Readonly<Record<number, ChainAddress>> = {
  8453: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  84532: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
};

export interface AnvilOptions {
  /** 84532 by default, which is Base Sepolia; 8453 is Base. */
  chainId?: number;
  /** Further options of the command line, such as `--no-mining`. */
  args?: readonly string[];
}

/** One chain, in a process of its own. */
export class Anvil {
  readonly url: string;
  readonly chainId: number;
  readonly token: ChainAddress;
  readonly #child: ChildProcess;
  #id = 0;

  private constructor(child: ChildProcess, url: string, chainId: number, token: ChainAddress) {
    this.#child = child;
    this.url = url;
    this.chainId = chainId;
    this.token = token;
  }

  /** A chain with ten accounts that it signs for (`eth_accounts`), and the token. A block for each transaction, unless `args` say otherwise. */
  static async start({ chainId = 84_532, args = [] }: AnvilOptions = {}): Promise<Anvil> {
    const token = tokens[chainId];
    if (anvil === undefined || token === undefined) throw new Error(`there is no Anvil, or no token of the chain ${chainId}`);
    const child = spawn(anvil, ['--port', '0', '--chain-id', String(chainId), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const chain = new Anvil(child, `http://${await addressOf(child)}/`, chainId, token);
    await chain.ask('anvil_setCode', token, artifact().code);
    return chain;
  }

  /** Asks one call; throws with what the node says where it refuses. */
  // biome-ignore lint/suspicious/noExplicitAny: what a node answers depends on the call.
  async ask(method: string, ...params: unknown[]): Promise<any> {
    const content = { jsonrpc: '2.0', id: ++this.#id, method, params };
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(content),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Makes blocks, with what waits in the first of them. */
  mine(count = 1): Promise<void> {
    return this.ask('anvil_mine', `0x${count.toString(16)}`);
  }

  /** Gives an address as much gas money, wei. */
  async fund(address: ChainAddress, wei = 10n ** 18n): Promise<void> {
    await this.ask('anvil_setBalance', address, `0x${wei.toString(16)}`);
  }

  /** Gives an address as much of the token as it then has, base units: without a transaction, a log, or a block. */
  async setMoney(address: ChainAddress, value: bigint): Promise<void> {
    await this.ask('anvil_setStorageAt', this.token, balanceSlot(address), word(value));
  }

  /** What an address has of the token now, base units. */
  async moneyOf(address: ChainAddress): Promise<bigint> {
    return BigInt(await this.ask('eth_call', { to: this.token, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }, 'latest'));
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** Where it listens. What it prints is read on, so that its pipe never fills. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-10_000);
      const address = /Listening on (\S+)\n/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Anvil did not start: ${said}`)));
  });
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** Where the token keeps a balance: its mapping is the third of its variables, `totalSupply` and `paused` are before it. */
function balanceSlot(address: ChainAddress): Hex {
  const key = Buffer.from(`${address.slice(2).padStart(64, '0')}${word(2n).slice(2)}`, 'hex');
  return `0x${Buffer.from(keccak_256(key)).toString('hex')}`;
}
