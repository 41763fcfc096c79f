// Lists, statements and balances of a workspace with a long past: they read by index, and no more than they answer. Plans are those
// that PostgreSQL makes of the very statements of each request.
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { writePast } from '../bench/history.js';
import { enrol } from './contexts/agents/identity.js';
import { idsOf } from './factories/payment.js';
import { type Json, openWallet, useHarness } from './harness.js';
import { explain, type Recorded, recordStatements } from './plan.js';

const harness = useHarness();
const limit = 20;
const everyMs = 40_000;
const from = new Date('2026-02-01T00:00:00.000Z');
const at = (share: number) => new Date(from.getTime() + share * 50_000 * everyMs).toISOString();
let owners: { account: Json; wallet: Json }[];
let agent: Json;
let agentWallet: Json;

beforeAll(async () => {
  owners = [];
  for (let n = 0; n < 25; n += 1) owners.push(await openWallet(harness.test, { name: `Owner ${n}` }));
  agent = await enrol(harness.test, { parent_account_id: owners[0]?.account.id });
  agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: agent.id, currency: 'USD' });
  const { workspaceId } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: agentWallet.id } });
  const db = new pg.Client({ connectionString: harness.platform.database.url });
  await db.connect();
  await writePast(db, { workspaceId, transfers: 50_000, from, everyMs });
  await db.query('VACUUM (ANALYZE)');
  await db.end();
}, 120_000);

/** The big tables: what is read of the others is few. */
const big = new Set(['transfer', 'ledger_entry', 'ledger_transaction', 'hold']);

/** Runs a request and looks at the plans of what it asked the database, as planned for its values and for any. */
async function readsOf(path: string, as?: string): Promise<{ answer: Json; statements: Recorded[] }> {
  const recorded = recordStatements(harness.platform.database.pool);
  try {
    const answer = await harness.test.get(path, as === undefined ? {} : { as });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return { answer, statements: recorded.statements };
  } finally {
    recorded.stop();
  }
}

/** Fails when a statement of a page reads, filters out or sorts more than `most` rows of the big tables; a count may read 10,001 a branch. */
async function expectFrugal(statements: readonly Recorded[], most: number): Promise<void> {
  let seen = 0;
  for (const statement of statements) {
    for (const mode of ['force_custom_plan', ...(statement.name === undefined ? [] : ['force_generic_plan'])]) {
      for (const node of await explain(harness.platform.database.url, statement, mode)) {
        if (!big.has(node.table ?? '') && node.type !== 'Sort') continue;
        seen += 1;
        const about = `${mode}: ${node.type} ${node.table ?? ''} ${node.rows} rows, ${node.removed} removed\n${statement.text}`;
        const isCount = /count\(/i.test(statement.text);
        if (!isCount) expect(node.type, about).not.toBe('Seq Scan');
        expect(node.rows + node.removed, about).toBeLessThanOrEqual(isCount ? 10_001 : most);
      }
    }
  }
  expect(seen, 'plans of big tables').toBeGreaterThan(0);
}

describe('the list of transfers', () => {
  const cases: [string, () => string, number?][] = [
    ['all of them', () => ''],
    ['a stretch of time', () => `since=${at(0.4)}&until=${at(0.6)}`],
    ['the last page by number of an old stretch', () => `since=${at(0.1)}&until=${at(0.1002)}`],
    ['those of a wallet', () => `wallet_id=${owners[3]?.wallet.id}`, 2 * (limit + 1)],
    ['those of a wallet that everybody pays, long ago', () => `wallet_id=${owners[0]?.wallet.id}&until=${at(0.2)}`, 2 * (limit + 1)],
    ['those that an agent paid for', () => `agent_id=${agent.uuid}`],
    // Two wallets belong to the account, and each is read as far as the page could need.
    ['those from an account', () => `from_account_id=${owners[0]?.account.id}`, 2 * (limit + 1)],
    ['those to an account', () => `to_account_id=${owners[5]?.account.id}`],
    ['the few that failed', () => 'status=failed'],
    ['none, of a type that is rare', () => 'type=wrap'],
    ['none, of a protocol that is rare', () => 'protocol=x402'],
    ['none, of a reference', () => 'reference=none'],
  ];

  it.each(cases)('%s', async (_name, query, most = limit + 1) => {
    const { answer, statements } = await readsOf(`/v1/transfers?limit=${limit}&${query()}`);
    const ids = idsOf(answer);
    expect(ids).toEqual([...ids].sort().reverse());
    await expectFrugal(statements, most);
  });

  it('what an agent took part in', async () => {
    const { answer, statements } = await readsOf(`/v1/transfers?limit=${limit}`, agent.token);
    expect(answer.body.data).toHaveLength(limit);
    for (const transfer of answer.body.data)
      expect([transfer.agent_id === agent.uuid, transfer.from_wallet_id, transfer.to_wallet_id]).toEqual(
        expect.arrayContaining([transfer.agent_id === agent.uuid || agentWallet.id]),
      );
    await expectFrugal(statements, 3 * (limit + 1));
  });

  it('behind a cursor, where nothing is counted', async () => {
    const first = await harness.test.get(`/v1/transfers?limit=${limit}&wallet_id=${owners[0]?.wallet.id}`);
    const { next_cursor: cursor, total } = first.body.pagination;
    const { answer, statements } = await readsOf(`/v1/transfers?limit=${limit}&wallet_id=${owners[0]?.wallet.id}&starting_after=${cursor}`);
    expect(answer.body.pagination.total).toBe(total);
    expect(statements.filter(({ text }) => /count\(/i.test(text))).toEqual([]);
    expect(idsOf(answer).some((id) => idsOf(first).includes(id))).toBe(false);
    await expectFrugal(statements, 2 * (limit + 1));
  });

  it('counts to 10,000 and says so, and reaches no further by number', async () => {
    const { body } = await harness.test.get('/v1/transfers?limit=200&page=50');
    expect(body.pagination).toMatchObject({ page: 50, total: 10_000, totalPages: 50, total_is_minimum: true, has_more: true });
    const far = await harness.test.get('/v1/transfers?limit=200&page=51');
    expect(far).toMatchObject({ status: 400, body: { details: { fields: [{ path: 'page', rule: 'max' }] } } });
    const few = await harness.test.get('/v1/transfers?status=failed');
    expect(few.body.pagination).toMatchObject({ total: 500 });
    expect(few.body.pagination).not.toHaveProperty('total_is_minimum');
  });
});

describe('the statement of a wallet', () => {
  // Two of its three accounts have entries, each of which is read as far as the page could need.
  const most = 2 * (limit + 1);
  const path = (query = '') => `/v1/wallets/${owners[0]?.wallet.id}/entries?limit=${limit}&${query}`;

  it.each([
    ['the newest', ''],
    ['a stretch of time', `since=${at(0.4)}&until=${at(0.6)}`],
  ])('%s', async (_name, query) => {
    const { answer, statements } = await readsOf(path(query));
    expect(answer.body.data).toHaveLength(limit);
    await expectFrugal(statements, most);
  });

  it('after an entry, and behind a cursor', async () => {
    const { body } = await harness.test.get(path(`until=${at(0.5)}`));
    for (const after of [body.data.at(-1).id, body.pagination.next_cursor]) {
      const { answer, statements } = await readsOf(path(`until=${at(0.5)}&starting_after=${after}`));
      expect(answer.body.data).toHaveLength(limit);
      expect(answer.body.pagination.total).toBe(body.pagination.total);
      await expectFrugal(statements, most);
    }
  });

  it('is whole, in order, each entry once', async () => {
    const wallet = `/v1/wallets/${owners[7]?.wallet.id}/entries?limit=200`;
    const seen: Json[] = [];
    let page = (await harness.test.get(wallet)).body;
    for (; ; page = (await harness.test.get(`${wallet}&starting_after=${page.pagination.next_cursor}`)).body) {
      seen.push(...page.data);
      if (!page.pagination.has_more) break;
    }
    expect(seen).toHaveLength(page.pagination.total);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    const order = seen.map(({ created_at, id }) => `${created_at} ${id.slice(0, 40)}`);
    expect(order).toEqual([...order].sort().reverse());
    for (const bucket of ['available', 'held']) {
      const numbers = seen.filter((entry) => entry.bucket === bucket).map(({ id }) => Number(id.split('_').at(-1)));
      expect(numbers).toEqual(numbers.map((_, n) => numbers.length - n));
    }
  });
});

describe('a balance at a time', () => {
  it('is that of the entry before, read by index', async () => {
    const { wallet } = owners[0] ?? {};
    const entries = (await harness.test.get(`/v1/wallets/${wallet.id}/entries?limit=200&until=${at(0.9)}`)).body.data;
    const [latest] = entries.filter(({ bucket }: Json) => bucket === 'available');
    const { answer, statements } = await readsOf(`/v1/wallets/${wallet.id}/balance?at=${latest.created_at}`);
    expect(answer.body.data.available).toBe(latest.balance_after);
    // Every hold of this past was for this wallet: those that were resolved since are looked at, a tenth of 2,000. So an index that begins with the
    // account is no better than one that does not, and PostgreSQL may look at them for each of the three accounts of the wallet.
    await expectFrugal(statements, 3 * 250);
  });
});

describe('the treasury', () => {
  it('reads, for the runway, what the sandbox minted, and nothing of what was paid', async () => {
    const { answer, statements } = await readsOf('/v1/treasury/runway?days=180');
    expect(answer.body.runway_days).toBeNull();
    await expectFrugal(statements, owners.length + 1);
  });

  it('reads, for what is exposed, nothing that is over', async () => {
    const { answer, statements } = await readsOf('/v1/treasury/exposure');
    expect(answer.body.data).toMatchObject([{ currency: 'USD', scheduled: '0.00', holds: '0.00', disputes: '0.00' }]);
    await expectFrugal(statements, 1);
  });
});
