// The Python client against a server in a process of its own, with the faults that the SDK is tried with: its unittest modules, its types, its
// README as a program, every operation, and a server that is killed. Needs a python3 with httpx and cryptography, as Debian packages them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newChallenge } from '../../src/contexts/webhooks/challenge.js';
import { signatureHeader } from '../../src/contexts/webhooks/signature.js';
import { Door } from '../door.js';
import { newBuyer, newEndpoint } from '../factories/x402.js';
import { Client, type Json, openWallet } from '../harness.js';
import { document, operationAt } from '../openapi.js';
import { exampleOf, operations, pathOf } from '../operation.js';
import { type Ended, Program } from '../process.js';
import { ServerOnDatabase } from '../server-database.js';
import { isSlow } from '../slow.js';
import { byMpp, byX402, type Seller } from './seller.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
const folder = fileURLToPath(new URL('../../sdk/python/', import.meta.url));
const found = ['python3', '/usr/bin/python3'].find((name) => has(name, 'httpx', 'cryptography'));
const python = found ?? 'python3';
const hasMypy = found !== undefined && has(found, 'mypy');
const missing = found === undefined ? ' (skipped: no python3 here has httpx and cryptography: apt-get install python3-httpx)' : '';

function has(name: string, ...modules: string[]): boolean {
  try {
    execFileSync(name, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(found === undefined)(`the Python client${missing}`, () => {
  let server: ServerOnDatabase;
  let platform: Client;
  let scratch: string;
  const sellers: Seller[] = [];

  beforeAll(async () => {
    server = await ServerOnDatabase.start({ RATE_LIMIT_AUTH: '1000000' });
    platform = new Client(server.sandbox.url, server.sandbox.key);
    scratch = await mkdtemp(path.join(tmpdir(), 'python-client-'));
  });
  afterAll(async () => {
    for (const seller of sellers) seller.stop();
    await server?.stop();
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const { url, key } = server.sandbox;
    const [first = '', ...others] = args;
    const all = { PYTHONPATH: path.join(folder, 'src'), URL: url, KEY: key, ...env };
    return new Program(first, others, all, { bin: python, cwd: folder });
  }

  function expectDone({ stdout, stderr, code }: Ended): string {
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  }

  /** Runs the cases of a module, with Client and with AsyncClient. */
  async function runCases(name: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { stderr, stdout, code } = await start(['-m', 'unittest', `tests.test_${name}`], env).ended;
    expect(code, stdout + stderr).toBe(0);
    expect(stderr).toMatch(/^Ran [1-9]\d* tests/m);
  }

  it.each(['call', 'sign_in', 'signing', 'channel'])('keeps the rules of the SDK: %s', (name) => runCases(name));

  it('verifies webhooks', async () => {
    const [secret, at] = ['whsec_0123456789', 1_700_000_000];
    const event = { id: 'evt_1', type: 'transfer.completed', timestamp: '2026-01-01T00:00:00.000Z', data: { amount: '1.00' } };
    const body = JSON.stringify(event);
    const groups = [[secret], ['whsec_new', 'whsec_old'], ['']] as [string, ...string[]][];
    const headers = Object.fromEntries(groups.map((secrets) => [secrets.join(), signatureHeader(body, secrets, at)]));
    const challenges = Object.fromEntries(groups.map((secrets) => [secrets.join(), newChallenge(...secrets)]));
    await runCases('webhook', {
      SIGNED: JSON.stringify({ body, at, headers, challenges, list: signatureHeader('[]', [secret], at) }),
    });
  });

  it('pays sellers', async () => {
    const [endpoint, buyer] = [await newEndpoint(platform), await newBuyer(platform)];
    const open = async (seller: Seller, fault: object = {}) => {
      sellers.push(await Object.assign(seller, fault).start());
      return seller.url;
    };
    const addresses = {
      x402: await open(byX402(platform, () => endpoint)),
      deaf: await open(
        byX402(platform, () => endpoint),
        { isDeaf: true },
      ),
      stubborn: await open(
        byX402(platform, () => endpoint),
        { isStubborn: true },
      ),
      mpp: await open(byMpp(platform, () => ({ id: endpoint.receiver_wallet_id }))),
    };
    const who = { id: buyer.id, token: buyer.token, wallet_id: buyer.wallet.id };
    const others = { endpoint: endpoint.id, receiver: endpoint.receiver_wallet_id, buyer: who };
    await runCases('paying', { SELLERS: JSON.stringify({ ...addresses, ...others }) });
  });

  describe('its README', () => {
    const blocks = [...readFileSync(path.join(folder, 'README.md'), 'utf8').matchAll(/```python\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code,
    );

    it('pays between two agents in five lines', async () => {
      const [, lines = ''] = blocks[0]?.split('\n\n') ?? [];
      expect(lines.trim().split('\n')).toHaveLength(5);
      expect(expectDone(await start(['-c', blocks[0] ?? '']).ended)).toBe('completed 12.50\n');
    });

    it('is a program that runs', async () => {
      expect(blocks.length).toBeGreaterThan(8);
      const lines = expectDone(await start(['-c', blocks.join('\n')]).ended).split('\n');
      expect(lines).toEqual(
        expect.arrayContaining(['completed 12.50', 'True completed', 'True', 'agent True', '1.00 completed', '200 0.00']),
      );
      expect(lines).toContainEqual(expect.stringMatching(/^422 insufficient_balance \['\w+ \/v1\//));
      expect(lines).toContainEqual(expect.stringMatching(/^transfer_completed \d+$/));
      expect(lines).toContainEqual('400 {"error": "bad_header"}');
      expect(lines).toContainEqual(expect.stringMatching(/^\{'totalOperations': \d+\}$/));
    });

    // It takes as long as all else here. CI asks for it where it checks types.
    it.skipIf(!hasMypy || !isSlow)(
      `has types, as the client and its tests have (mypy --strict${hasMypy ? '' : ': skipped, there is no mypy'})`,
      async () => {
        const program = path.join(scratch, 'readme.py');
        await writeFile(program, blocks.join('\n'));
        const checked = start(['-m', 'mypy', '--strict', '--cache-dir', path.join(scratch, 'mypy'), 'src', 'tests', program]);
        expect(expectDone(await checked.ended)).toMatch(/^Success: no issues found in \d\d source files\n$/);
      },
    );
  });

  const snake = (id: string) => id.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

  it.each(['calls', 'async_calls'])('has a method for every operation but the channel, in %s.py', (name) => {
    const generated = readFileSync(path.join(folder, `src/agent_payments/generated/${name}.py`), 'utf8');
    const methods = new Set([...generated.matchAll(/def ([a-z]\w+)\(self/g)].map(([, method]) => method));
    const ids = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item).map(({ operationId }) => operationId));
    expect(ids.length).toBeGreaterThan(300);
    expect([...methods].sort()).toEqual(
      ids
        .filter((id) => id !== 'connectAgent')
        .map(snake)
        .sort(),
    );
  });

  it.skipIf(!isSlow)('calls every operation', async ({ annotate }) => {
    const { account, wallet } = await openWallet(platform, { funded: '1000.00' });
    const { wallet: other } = await openWallet(platform);
    const agent = await platform.make('/v1/agents', { parent_account_id: account.id, name: 'Agent', wallet: { currency: 'USD' } });
    const seeds = { account: account.id, wallet: wallet.id, to_wallet: other.id, payee_wallet: other.id, agent: agent.id };
    const requiredQuery = (method: string, template: string): Json[] =>
      document.paths[template][method.toLowerCase()].parameters.filter((one: Json) => one.in === 'query' && one.required);
    const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
    const all = operations().toSorted((one, next) => order.indexOf(one.method) - order.indexOf(next.method));
    const asked = all.map(({ id, method, template, body }) => {
      const [names, steps] = [template.split('/'), pathOf(template, seeds).split('/')];
      const parts = names.flatMap((name, at) => (name.startsWith('{') ? [steps[at]] : []));
      return {
        name: `${method} ${template}`,
        method: snake(id),
        arguments: [...parts, ...(body === undefined ? [] : [exampleOf(body, '', seeds)])],
        keywords: Object.fromEntries(requiredQuery(method, template).map(({ name, schema }) => [name, exampleOf(schema, name, seeds)])),
      };
    });
    const list = path.join(scratch, 'operations.json');
    await writeFile(list, JSON.stringify(asked));
    const outcomes = JSON.parse(expectDone(await start(['-m', 'tests.every_operation', list]).ended)) as {
      status: number;
      message: string;
      method: string;
      path: string;
      key: string | null;
    }[];
    const faults = outcomes.flatMap(({ status, message, method, path: at, key }, place) => {
      const { name } = asked[place] as { name: string };
      const template = operationAt(method, at)?.template ?? '';
      const { parameters = [] } = document.paths[template]?.[method.toLowerCase()] ?? {};
      const takesKey = JSON.stringify(parameters).match(/IdempotencyKey|Idempotency-Key/) !== null;
      const isRight =
        `${method} ${template}` === name && takesKey === (key !== null) && status !== 405 && !message.startsWith('No such path');
      return isRight ? [] : [`${name}: ${status} ${method} ${at} ${key}`];
    });
    expect(faults).toEqual([]);
    const done = outcomes.filter(({ status }) => status === 200).length;
    await annotate(`${outcomes.length} operations called; ${done} did it, the others refused a made-up id or body`);
    expect([outcomes.length > 280, done > 80]).toEqual([true, true]);
  });

  it('does not notice that the server is killed: nothing is paid twice, no event is missed, and none comes twice', async () => {
    const payments = 20;
    const wanted = { method: 'POST', ending: '/v1/transfers', nth: payments / 2, isAnswered: false };
    const doors = [await Door.open(() => server.sandbox.url, wanted), await Door.open(() => server.sandbox.url, wanted)];
    try {
      const running = ['sync', 'async'].map((kind, at) =>
        start(['-m', 'tests.pay_and_listen', kind], { DOOR: doors[at]?.url ?? '', PAYMENTS: String(payments) }),
      );
      const early = Promise.race(running.map(({ ended }) => ended.then(expectDone)));
      await Promise.race([Promise.all(doors.map(({ caught }) => caught)), early]);
      expect(doors.map(({ isCaught }) => isCaught)).toEqual([true, true]);
      await server.crash();
      for (const door of doors) door.cut();
      await server.startAgain();
      for (const { ended } of running) {
        const { paid, heard, left } = JSON.parse(expectDone(await ended)) as { paid: string[]; heard: string[]; left: string };
        expect([new Set(paid).size, left]).toEqual([payments, `${100 - payments}.00`]);
        expect(heard.toSorted()).toEqual(paid.map((id) => `tx_${id}`).toSorted());
      }
      await server.expectBalanced();
    } finally {
      for (const door of doors) door.close();
    }
  });
});
