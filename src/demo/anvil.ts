// The chain of the chapter of real money: Anvil, with a token as USDC is, on this machine. It is there in a checkout in which
// `npm ci --prefix test/oracles` has run.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sendJson } from '../platform/outbound/client.js';

/** Where the oracles of the tests are installed: of the platform itself nothing needs them. */
const oracles = fileURLToPath(new URL('../../test/oracles/node_modules/', import.meta.url));
const binary = `${oracles}@foundry-rs/anvil-linux-amd64/bin/anvil`;
const tokenFile = fileURLToPath(new URL('../../test/chain/token.json', import.meta.url));

/** USDC on Base Sepolia. */
const token = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
const chainId = 84_532;

export class DemoChain {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Starts a chain that makes a block each second; null where Anvil is not installed. */
  static async start(): Promise<DemoChain | null> {
    const artifact = await readFile(tokenFile, 'utf8').catch(() => null);
    if (artifact === null) return null;
    const args = ['--port', '0', '--chain-id', String(chainId), '--block-time', '1'];
    const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const address = await new Promise<string | null>((resolve) => {
      let said = '';
      child.once('error', () => resolve(null));
      child.once('exit', () => resolve(null));
      child.stdout.on('data', (chunk: Buffer) => {
        said = `${said}${chunk}`.slice(-10_000);
        const [, found] = /Listening on (\S+)\n/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    if (address === null) return null;
    const chain = new DemoChain(`http://${address}/`, child);
    await chain.ask('anvil_setCode', token, (JSON.parse(artifact) as { code: string }).code);
    return chain;
  }

  /** Asks the node. Throws what it says where it refuses. */
  async ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const { body } = await sendJson(this.url, { method: 'POST', headers: {}, body: { jsonrpc: '2.0', id: 1, method, params } });
    const { result, error } = body as { result: T; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Gives somebody gas money. */
  async giveGas(address: string): Promise<void> {
    await this.ask('anvil_setBalance', address, '0xde0b6b3a7640000');
  }

  /** Mints tokens, base units: as if they had always been there. */
  async mint(address: string, amount: bigint): Promise<void> {
    await this.ask('anvil_dealERC20', address, token, `0x${amount.toString(16)}`);
  }

  /** A transfer of the token by somebody whose key the node has. */
  async transfer(from: string, to: string, amount: bigint): Promise<string> {
    const data = `0xa9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
    return this.ask('eth_sendTransaction', { from, to: token, data });
  }

  /** Somebody with gas whose key the node has. */
  async somebody(): Promise<string> {
    const [first = ''] = await this.ask<string[]>('eth_accounts');
    return first;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
