import { describe, expect, it } from 'vitest';
import { sweepDecisions } from '../../../src/contexts/spending/pipeline/decision.sql.js';
import { decisionsOf, newSpender, refusedSpend } from '../../factories/decision.js';
import { idsOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const list = (query: string, as?: string) => harness.test.get(`/v1/decisions?${query}`, as === undefined ? {} : { as });
const found = async (query: string, as?: string) => idsOf(await list(query, as));

/** An agent with a daily cap of 10.00: what it was allowed, and what it was refused. */
async function spenderWithPast() {
  await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 1, currency: 'USD', per_day: '10.00' }] });
  const spender = await newSpender(harness.test, { tier: 1 });
  const allowed: string[] = [];
  for (const amount of ['4.00', '5.00']) {
    harness.clock.advance(1);
    allowed.unshift((await spender.pay(amount)).body.data.decision_id);
  }
  harness.clock.advance(1);
  expect((await spender.pay('2.00')).status).toBe(403);
  const [denied] = await decisionsOf(harness, harness.test, 'limit=1');
  return { spender, allowed, denied: denied as Json };
}

describe('GET /v1/decisions', () => {
  describe('200', () => {
    it('by agent, outcome and time, newest first, in pages', async () => {
      const { spender, allowed, denied } = await spenderWithPast();
      const mine = `agent_id=${spender.id}`;
      const all = [denied.id, ...allowed];
      expect(await found(mine)).toEqual(all);
      expect(await found(`${mine}&outcome=allow`)).toEqual(allowed);
      expect(await found(`${mine}&outcome=deny`)).toEqual([denied.id]);
      expect(await found(`${mine}&outcome=require_approval`)).toEqual([]);
      expect(await found(`${mine}&since=${denied.evaluated_at}`)).toEqual([denied.id]);
      expect(await found(`${mine}&until=${denied.evaluated_at}`)).toEqual(allowed);
      const first = await list(`${mine}&limit=2`);
      expect(first.body.pagination).toMatchObject({ total: 3, totalPages: 2, has_more: true });
      expect(await found(`${mine}&limit=2&starting_after=${first.body.pagination.next_cursor}`)).toEqual(all.slice(2));
      expect(await found(`${mine}&starting_after=${denied.id}&outcome=allow`)).toEqual(allowed);
      expect(await found(`${mine}&limit=1&page=2`)).toEqual([allowed[0]]);
    });

    it('each with its checks and figures, all read together', async () => {
      const { spender, allowed } = await spenderWithPast();
      const recorded = recordStatements(harness.platform.database.pool);
      const { body } = await list(`agent_id=${spender.uuid}`);
      recorded.stop();
      expect(recorded.statements.filter(({ text }) => text.includes('ledger_transaction'))).toHaveLength(1);
      const kyaOf = (id: string) => {
        const { checks } = body.data.find((decision: Json) => decision.id === id);
        return checks.find(({ layer }: Json) => layer === 'kya');
      };
      expect(allowed.map((id) => [kyaOf(id).used, kyaOf(id).remaining])).toEqual([
        ['4.00', '6.00'],
        ['0.00', '10.00'],
      ]);
    });

    it('an agent its own, nothing of another tenant or environment', async () => {
      const { spender, allowed, denied } = await spenderWithPast();
      const [theirs] = await Promise.all([refusedSpend(harness, harness.other), refusedSpend(harness, harness.live)]);
      expect(await found('', spender.token)).toEqual([denied.id, ...allowed]);
      const { token, uuid } = await enrol(harness.test);
      expect(await found('', token)).toEqual([]);
      expect(await found(`agent_id=${spender.uuid}`, token)).toEqual([]);
      expect(await found(`agent_id=${uuid}`, spender.token)).toEqual([]);
      expect(await found('limit=200')).not.toContain(theirs.id);
      expect(idsOf(await harness.other.get('/v1/decisions'))).toEqual([theirs.id]);
    });

    it('for 90 days of the workspace’s time', async () => {
      const { spender, allowed, denied } = await spenderWithPast();
      const mine = `agent_id=${spender.uuid}`;
      const days = (count: number) => harness.clock.advance(count * 86_400);
      days(89);
      while ((await sweepDecisions(harness.platform, 3)) === 3);
      expect(await found(mine)).toEqual([denied.id, ...allowed]);
      days(1);
      while ((await sweepDecisions(harness.platform, 3)) === 3);
      expect(await found(mine)).toEqual([denied.id]);
      days(1);
      while ((await sweepDecisions(harness.platform, 3)) === 3);
      expect(await found(mine)).toEqual([]);
      expect(allowed).toHaveLength(2);
    });

    it('by index, however many there are', async () => {
      const { spender } = await spenderWithPast();
      const { pool, url, unscoped } = harness.platform.database;
      const { workspaceId, id } = await unscoped.decision.findFirstOrThrow({ where: { agentId: spender.uuid } });
      // 20,000 more like one of them, of twenty agents; every five hundredth was refused.
      await pool.query(
        `INSERT INTO decision (workspace_id, id, outcome, agent_id, input, checks, evaluated_at)
         SELECT d.workspace_id, uuid_at(d.evaluated_at - n * interval '1 second'),
           CASE WHEN n % 500 = 0 THEN 'deny' ELSE 'allow' END::decision_outcome,
           CASE WHEN n % 20 = 0 THEN d.agent_id ELSE gen_random_uuid() END, d.input, d.checks, d.evaluated_at
         FROM decision d, generate_series(1, 20000) n WHERE d.workspace_id = $1 AND d.id = $2`,
        [workspaceId, id],
      );
      await pool.query('VACUUM (ANALYZE) decision');
      const agent = `agent_id=${spender.uuid}`;
      for (const query of ['', agent, 'outcome=deny', 'outcome=require_approval', `${agent}&outcome=deny`, 'until=2026-03-02T08:00:00Z']) {
        const recorded = recordStatements(pool);
        const { status } = await list(`${query}&limit=10`);
        recorded.stop();
        expect(status).toBe(200);
        const statements = recorded.statements.filter(({ text }) => /\bdecision\b/.test(text) && !/count\(/.test(text));
        expect(statements.length).toBeGreaterThan(0);
        for (const statement of statements) {
          for (const { type, table, rows, removed } of await explain(url, statement, 'force_custom_plan')) {
            if (table === 'decision') expect(type, statement.text).not.toBe('Seq Scan');
            if (table === 'decision' || type === 'Sort') expect(rows + removed, `${query}: ${statement.text}`).toBeLessThanOrEqual(11);
          }
        }
      }
    });
  });

  describe('400', () => {
    it.each([
      ['outcome=maybe', 'outcome'],
      ['agent_id=me', 'agent_id'],
      ['since=yesterday', 'since'],
      ['agent=x', 'agent'],
    ])('%s', async (query, path) => expectInvalid(await list(query), path));
  });
});
