// The chapter of real money: a platform of its own, in production, with a rail over a chain on this machine. Money comes in from the chain, a
// part of it is paid out over the chain, and what the chain holds is proven against the ledger.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoChain } from './anvil.js';
import { Teller } from './teller.js';

const program = fileURLToPath(new URL('../cli.js', import.meta.url));
const rail = 'usdc-base-sepolia';
const payee = '0x5b38da6a701c568545dcfcb03fcb875f56beddc4';
const startMs = 90_000;

/** What `keystore new` and `keystore address` print. */
interface Made {
  address: string;
  xpub: string;
}

interface DemoSettings {
  say: (text: string) => void;
  /** A variable of the environment. */
  variable: (name: string) => string | undefined;
}

/** Plays the chapter; says so where Anvil is not installed. */
export async function playChain({ say, variable }: DemoSettings): Promise<void> {
  const chain = await DemoChain.start();
  if (chain === null) return say('Anvil is not installed, so there is no chain: npm ci --prefix test/oracles, in a checkout, installs it.');
  const folder = await mkdtemp(path.join(tmpdir(), 'demo-chain-'));
  // PostgreSQL runs as a user of its own where this program is run by root.
  await chmod(folder, 0o711);
  const place = new Place(folder, chain, { say, variable });
  try {
    await place.prepare();
    await place.serve();
    await place.play();
  } finally {
    await place.end();
    chain.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a process needs of the environment, and a PostgreSQL where one is named. */
function passed(variable: DemoSettings['variable']): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'DATABASE_URL'].flatMap((name) => {
      const value = variable(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** An installation in a folder. */
class Place {
  readonly #folder: string;
  readonly #chain: DemoChain;
  readonly #say: (text: string) => void;
  readonly #env: Readonly<Record<string, string>>;
  readonly #key = `pk_live_${randomUUID()}`;
  #server: ChildProcess | undefined;
  #teller: Teller;

  constructor(folder: string, chain: DemoChain, { say, variable }: DemoSettings) {
    this.#folder = folder;
    this.#chain = chain;
    this.#say = say;
    this.#teller = new Teller('', say);
    this.#env = {
      ...passed(variable),
      DATA_DIR: this.#file('data'),
      PLATFORM_MEMORY: this.#file('memory'),
      SECRETS_KEY: randomBytes(32).toString('hex'),
      RAILS_FILE: this.#file('rails.yaml'),
      BOOTSTRAP_LIVE_KEY: this.#key,
      BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
      PORT: '0',
      SANDBOX_PORT: '0',
      LOG_LEVEL: 'error',
    };
  }

  #file(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Keys, gas and money at their addresses, and the file that names them. */
  async prepare(): Promise<void> {
    this.#say('\nReal money, on a chain of this machine: three keys, each under a password\n');
    for (const name of ['relayer', 'treasury', 'deposits'])
      await writeFile(this.#file(`${name}.password`), randomBytes(24).toString('base64'), { mode: 0o600 });
    const relayer = await this.#newKey('The relayer pays for gas, and has no money', 'relayer');
    const treasury = await this.#newKey('The treasury has the money, and no gas', 'treasury');
    const deposits = await this.#newKey('From a seed every wallet has an address of its own', 'deposits', '--deposits');
    await this.#chain.giveGas(relayer.address);
    await this.#chain.mint(treasury.address, 50_000_000n);
    const key = (name: string) => `{ keystore: ${name}.json, password: { file: ${name}.password } }`;
    const text = `version: 1
rails:
  ${rail}:
    kind: evm
    chain: base-sepolia
    limits: { per_order: "20.00", per_day: "100.00", per_day_count: 50 }
    rpc: [${this.#chain.url}]
    relayers: [${key('relayer')}]
    treasury: ${key('treasury')}
    deposits: { xpub: ${deposits.xpub}, key: ${key('deposits')} }
    confirmations: { credit: 3 }
    gas: { max_fee_gwei: 5, low_balance: "0.002" }
`;
    await writeFile(this.#file('rails.yaml'), text);
    await this.#command('The file of rails names them, and no secret', 0, 'rails', 'check', 'rails.yaml');
  }

  async #newKey(title: string, name: string, ...options: string[]): Promise<Made> {
    const args = ['keystore', 'new', '--out', `${name}.json`, '--password-file', `${name}.password`, '--json', ...options];
    return JSON.parse((await this.#command(title, 0, ...args)).split('\n').at(-1) ?? '') as Made;
  }

  /** Runs a command of the platform with these settings. */
  async #command(title: string, expected: number, ...args: string[]): Promise<string> {
    const given = { args: ['--enable-source-maps', program, ...args], folder: this.#folder, env: this.#env };
    const { code, printed } = await this.#teller.command(title, `agent-payments ${args.join(' ')}`, given);
    if (code !== expected) throw new Error(`the command ended with ${code}, not with ${expected}`);
    return printed;
  }

  /** Starts the platform, and waits until it is ready. */
  async serve(): Promise<void> {
    this.#say('\nThe platform starts with this file.');
    const server = spawn(process.execPath, ['--enable-source-maps', program, 'serve'], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#server = server;
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the platform did not start: ${said}`)), startMs);
      const hear = (chunk: Buffer) => {
        said = `${said}${chunk}`.slice(-10_000);
        const [, live] = /is ready[\s\S]*Production\s+(\S+)\s[\s\S]*Console/.exec(said) ?? [];
        if (live !== undefined) {
          clearTimeout(timer);
          resolve(live);
        }
      };
      server.stdout?.on('data', hear);
      server.stderr?.on('data', hear);
      server.once('exit', () => reject(new Error(`the platform did not start: ${said}`)));
    });
    this.#teller = new Teller(url, this.#say);
  }

  /** In, out, and the proof. */
  async play(): Promise<void> {
    const [teller, company] = [this.#teller, `Bearer ${this.#key}`];
    await this.#command('A doctor looks whether the rail is in order: it moves no money', 0, 'rails', 'doctor', rail);
    await this.#command('It is off until somebody switches it on', 0, 'rails', 'on', rail, '--reason', 'the demo');
    const { data: account } = await teller.ask('A company opens an account, in production', 'POST', '/v1/accounts', company, {
      type: 'business',
      name: 'Acme',
    });
    const owner = { owner_type: 'account', owner_id: account.id, currency: 'USDC' };
    const { data: wallet } = await teller.ask('With a wallet', 'POST', '/v1/wallets', company, owner);
    const askAddress = `/v1/wallets/${wallet.id}/deposit-addresses`;
    const { data: place } = await teller.ask('And an address for it on the chain', 'POST', askAddress, company, { rail });
    const customer = await this.#chain.somebody();
    await this.#chain.mint(customer, 25_000_000n);
    const hash = await this.#chain.transfer(customer, place.address, 25_000_000n);
    this.#say(`\n   A customer sends 25.00 USDC there: ${hash}`);
    const readWallet = `/v1/wallets/${wallet.id}`;
    const hasCome = ({ data }: { data?: { balance: { available: string } } }) => data?.balance.available === '25.00';
    await teller.until('It is in the wallet when its block is deep', readWallet, company, hasCome as never);
    const payout = {
      wallet_id: wallet.id,
      amount: '10.00',
      currency: 'USDC',
      rail,
      destination: { type: 'wallet', ref: payee },
    };
    const { data: sent } = await teller.ask('The company pays 10.00 out, to an address', 'POST', '/v1/payouts', company, payout);
    const isPaid = ({ data }: { data?: { status: string } }) => data?.status === 'complete';
    await teller.until('It is paid when its block is deep', `/v1/payouts/${sent.id}`, company, isPaid as never);
    const { data: proof } = await teller.ask(
      'What the chain holds is what the ledger says, and capital of the operator, to the unit',
      'GET',
      `/v1/rails/${rail}/proof`,
      company,
    );
    if (proof.difference !== '0.00') throw new Error(`the chain and the ledger differ by ${proof.difference}`);
    await this.#command('The same at the command line', 0, 'rails', 'prove', rail);
    await this.#command('And somebody stops it', 0, 'rails', 'off', rail, '--reason', 'the demo is over');
    this.#say('\n25.00 came in over the chain, 10.00 went out, once, and the chain agrees with the ledger.');
  }

  /** Ends the platform. */
  async end(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
}
