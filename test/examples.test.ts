// The examples, and the code of the SDK's README, against a server of their own; then each of them, and the SDK itself, over a server that is
// killed while it works on their most important request: nothing is paid twice, no event is missed or comes twice.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ChannelEvent, createClient } from '@agent-payments/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signatureHeader } from '../src/contexts/webhooks/signature.js';
import { type Catch, Door } from './door.js';
import { type Ended, Program } from './process.js';
import { ServerOnDatabase } from './server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const inTree = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const port = await freePort();
let server: ServerOnDatabase;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}`, RATE_LIMIT_AUTH: '1000000' });
});
afterAll(() => server?.stop());

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port: found } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return found;
}

interface Example {
  name: string;
  /** Where the server is killed. */
  wanted: Catch;
  /** What it prints, among other things. */
  says: readonly (string | RegExp)[];
}

const examples: readonly Example[] = [
  {
    name: 'pay-another-agent',
    wanted: { method: 'POST', ending: '/v1/transfers', isAnswered: true },
    says: ['   12.50 USDC: completed', '   the same transfer: true', /^ {3}422 insufficient_balance: /, '   available: 12.50 USDC'],
  },
  {
    name: 'paid-route',
    wanted: { method: 'POST', ending: '/v1/x402/pay', nth: 2, isAnswered: true },
    says: [
      '2. Somebody calls it without paying, and with a payment that is none',
      '   402',
      '   200 {"weather":"fine"}, 0.30 USDC spent',
      /^ {3}over_maximum: /,
      '   available: 0.30 USDC',
    ],
  },
  {
    name: 'shop',
    wanted: { method: 'POST', ending: '/complete', isAnswered: false },
    says: [
      '   created: 7.25 USDC',
      '   created: 14.50 USDC',
      '   paid',
      '   fulfilled',
      '   the shop: 13.50 USDC',
      '   the agent: 86.50 USDC',
    ],
  },
  {
    name: 'webhook-receiver',
    wanted: { method: 'POST', ending: '/v1/test/events/trigger', isAnswered: false },
    says: ['   refused: bad_header', /^ {3}account\.balance\.low \{.*"balance":"3\.20"/, '4. It ends its subscription: 1 event received'],
  },
  {
    name: 'dashboard',
    wanted: { method: 'POST', ending: '/v1/test/seed', isAnswered: false },
    says: [
      '   2 agents, 3 merchants',
      /^ {3}\d+ operations, \d+ % of them successful$/,
      /^ {3}acp +\d/,
      /^ {3}\d+ of \d+ were paid: \d+ %$/,
    ],
  },
];

function run({ name }: Pick<Example, 'name'>, url: string, ...options: string[]): Promise<Ended> {
  return new Program(inTree(`examples/${name}.mjs`), ['--url', url, '--key', server.sandbox.key, '--port', String(port), ...options], {})
    .ended;
}

function expectSaid({ stdout, stderr, code }: Ended, says: Example['says']): void {
  expect([code, stderr], stdout).toEqual([0, '']);
  const lines = stdout.split('\n');
  for (const wanted of says)
    if (typeof wanted === 'string') expect(lines).toContain(wanted);
    else expect(lines).toContainEqual(expect.stringMatching(wanted));
}

describe('the examples', () => {
  it('run, and print what happens', async () => {
    const ended = await Promise.all(examples.map((example) => run(example, server.sandbox.url)));
    for (const [at, { says }] of examples.entries()) expectSaid(ended[at] as Ended, says);
  });

  it('say how they are run', async () => {
    const [first] = examples as [Example];
    const { code, stdout } = await run(first, server.sandbox.url, '--help');
    expect([code, stdout]).toEqual([0, expect.stringContaining('node examples/pay-another-agent.mjs --key pk_test_')]);
    const keyless = await new Program(inTree('examples/shop.mjs'), [], {}).ended;
    expect([keyless.code, keyless.stdout]).toEqual([2, expect.stringContaining('node examples/shop.mjs --key pk_test_')]);
  });

  it('say at once where nobody listens', async () => {
    for (const { name } of examples) {
      const { code, stderr } = await run({ name }, `http://127.0.0.1:${await freePort()}`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Nobody listens at .*: start the platform with npm start/)]);
    }
  });

  it('say how the platform is started for a receiver', async () => {
    const { code, stderr } = await run({ name: 'webhook-receiver' }, server.sandbox.url, '--port', String(await freePort()));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The platform may not send .* WEBHOOK_ALLOW_HOSTS=127\.0\.0\.1:\d+ npm start\n$/),
    ]);
  });

  it('refuse as a receiver what anybody sends before there is a secret, and outlive what breaks off', async () => {
    const receiver = examples.find(({ name }) => name === 'webhook-receiver') as Example;
    const door = await Door.open(() => server.sandbox.url, { method: 'POST', ending: '/v1/webhooks', isAnswered: true });
    try {
      const running = run(receiver, door.url);
      await door.caught;
      const body = JSON.stringify({ id: 'evt_1', type: 'transfer.completed', timestamp: '', data: {} });
      const forged = { 'X-Svc-Signature': signatureHeader(body, [''], Math.floor(Date.now() / 1000)) };
      const address = `http://127.0.0.1:${port}/hooks`;
      expect((await fetch(address, { method: 'POST', body, headers: forged })).status).toBe(400);
      const half = connect(port, '127.0.0.1', () => half.write('POST /hooks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf'));
      await once(half, 'connect');
      half.destroy();
      expect((await fetch(address, { method: 'POST', body })).status).toBe(400);
      door.cut();
      expectSaid(await running, receiver.says);
    } finally {
      door.close();
    }
  });

  it('begin in the README with the first of them', () => {
    expect(readFileSync(inTree('README.md'), 'utf8')).toContain(
      readFileSync(inTree('examples/pay-another-agent.mjs'), 'utf8').split('\n').slice(2).join('\n'),
    );
  });
});

describe('sdk/README.md', () => {
  const blocks = [...readFileSync(inTree('sdk/README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  // It has to stand where the package is found.
  const program = inTree(`node_modules/.readme-${process.pid}.mjs`);
  afterAll(() => rm(program, { force: true }));

  it('pays in five lines', () => {
    expect(blocks[0]?.split('\n')[4]).toMatch(/^const \{ data: transfer \} = await company\.POST\('\/v1\/transfers'/);
  });

  it.each(['once', 'again'])('prints code that runs, %s', async () => {
    expect(blocks.length).toBeGreaterThan(8);
    await writeFile(program, blocks.join('\n'));
    const ended = await new Program(program, [], { URL: server.sandbox.url, KEY: server.sandbox.key }).ended;
    expectSaid(ended, [
      'completed 12.50',
      'true completed',
      'true',
      /^422 insufficient_balance \[ '\w+ \/v1\//,
      'agent Shopping agent',
      '1.00 completed',
    ]);
    expectSaid(ended, [/^connected \d+$/, /^transfer_completed \d+$/, '200 0.00', '400 bad_header', /^\{ totalOperations: \d+ \}$/]);
  });
});

describe('a server that is killed and started again', () => {
  const payments = 20;
  const doors: Door[] = [];
  afterAll(() => {
    for (const door of doors) door.close();
  });
  const open = async (wanted: Catch) => {
    const door = await Door.open(() => server.sandbox.url, wanted);
    doors.push(door);
    return door;
  };

  /** An agent that pays through a door, four at a time, and listens to its channel through it. */
  async function payAndListen(door: Door): Promise<{ paid: string[]; heard: ChannelEvent[] }> {
    const company = createClient({ baseUrl: server.sandbox.url, credential: server.sandbox.key });
    const { data: account } = await company.POST('/v1/accounts', { body: { type: 'business', name: 'Ada' } });
    const made = await company.POST('/v1/agents', {
      body: { parent_account_id: account.id, name: 'Payer', generate_keypair: true, wallet: { currency: 'USDC' } },
    });
    const own = made.data.default_wallet_id ?? '';
    const { data: payee } = await company.POST('/v1/accounts', { body: { type: 'business', name: 'Grace' } });
    const { data: till } = await company.POST('/v1/wallets', { body: { owner_type: 'account', owner_id: payee.id, currency: 'USDC' } });
    await company.POST('/v1/wallets/{id}/fund', { params: { path: { id: own } }, body: { amount: '100.00' } });
    const agent = createClient({ baseUrl: door.url, credential: { agentId: made.data.id, privateKey: made.authKey?.privateKey ?? '' } });
    const [heard, end] = [[] as ChannelEvent[], new AbortController()];
    const outbound = () => heard.filter(({ type, data }) => type === 'transfer_completed' && data['direction'] === 'outbound');
    const listening = (async () => {
      for await (const event of agent.channel({ signal: end.signal })) heard.push(event);
    })();
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const paid: string[] = [];
    const body = { type: 'internal', from_wallet_id: own, to_wallet_id: till.id, amount: '1.00', currency: 'USDC' } as const;
    const pay = async () => {
      for (let n = 0; n < payments / 4; n += 1) paid.push((await agent.POST('/v1/transfers', { body })).data.id);
    };
    await Promise.all([pay(), pay(), pay(), pay()]);
    await expect.poll(() => outbound().length, { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(payments);
    end.abort();
    await listening;
    const { data: wallet } = await agent.GET('/v1/wallets/{id}', { params: { path: { id: own } } });
    expect(wallet.balance.available).toBe(`${100 - payments}.00`);
    return { paid, heard: outbound() };
  }

  it('is not noticed: nothing is paid twice, no event is missed, and none comes twice', async () => {
    const own = await open({ method: 'POST', ending: '/v1/transfers', nth: payments / 2, isAnswered: false });
    const theirs = await Promise.all(examples.map(({ wanted }) => open(wanted)));
    const paying = payAndListen(own);
    const running = examples.map((example, at) => run(example, theirs[at]?.url ?? ''));
    await Promise.race([Promise.all(doors.map(({ caught }) => caught)), Promise.all([paying, ...running])]);
    expect(doors.filter(({ isCaught }) => !isCaught)).toEqual([]);
    await server.crash();
    for (const door of doors) door.cut();
    await server.startAgain();
    const { paid, heard } = await paying;
    expect(new Set(paid).size).toBe(payments);
    expect(heard.map(({ data }) => data['transfer_id']).sort()).toEqual(paid.map((id) => `tx_${id}`).sort());
    const ended = await Promise.all(running);
    for (const [at, { says }] of examples.entries()) expectSaid(ended[at] as Ended, says);
    const { data: sums } = await createClient({ baseUrl: server.sandbox.url, credential: server.sandbox.key }).GET(
      '/v1/ledger/trial-balance',
    );
    expect(sums.map(({ difference }) => Number(difference)).filter((difference) => difference !== 0)).toEqual([]);
  });
});
