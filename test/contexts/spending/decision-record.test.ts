// What is stored of a decision reads as what was decided, whatever its checks were.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decisiveChecks,
  type Evidence,
  figuresOf,
  leadingChecks,
  withEveryLayer,
} from '../../../src/contexts/spending/pipeline/decision.js';
import { decisionRecord, readChecks, type UsesOfTransaction } from '../../../src/contexts/spending/pipeline/decision-record.js';
import { decidingLayers, type RuleLayer } from '../../../src/contexts/spending/pipeline/layer.js';
import type { RuleUse } from '../../../src/contexts/spending/pipeline/limit.js';
import type { Authority } from '../../../src/contexts/spending/pipeline/pipeline.js';
import type { RuleResult } from '../../../src/contexts/spending/pipeline/rule-result.js';

const at = new Date('2026-03-02T10:00:00.000Z');
const layers = fc.constantFrom<RuleLayer>('kya', 'policy', 'budget', 'mandate');
const amounts = fc.bigInt(1n, 10n ** 17n);

/** Uses of limits, each of its own rule, with what its counter stood at. */
const someUses = fc
  .array(
    fc.record({ layer: layers, max: fc.option(amounts), used: fc.bigInt(0n, 10n ** 17n), requested: amounts, isCount: fc.boolean() }),
    {
      maxLength: 6,
    },
  )
  .map((list) =>
    list.map(({ layer, max, used, requested, isCount }, n): { use: RuleUse; stood: bigint } => ({
      use: {
        layer,
        ruleId: `rule.${n}`,
        counter: `counter:${n % 3}`,
        window: n % 2 === 0 ? '2026-03-02' : `2026-03-${n}`,
        used: requested,
        reserved: 0n,
        maximum: max,
        per: 'day',
        currency: isCount ? null : 'USD',
        action: 'approve',
        resetsAt: n % 2 === 0 ? new Date('2026-03-03T00:00:00.000Z') : null,
      },
      stood: used,
    })),
  );

const someResults = fc.array(
  fc.record({ layer: layers, isRequired: fc.boolean(), hasLimit: fc.boolean() }).map(({ layer, isRequired, hasLimit }): RuleResult => {
    const limit = { kind: layer, per: 'tx', currency: 'USD', max: 5n, used: 0n, requested: 7n, resetsAt: null } as const;
    const about = { layer, ruleId: `result.${layer}`, outcome: isRequired ? 'approve' : 'fail', code: 'policy_violation' } as const;
    return { ...about, reason: 'max_amount', message: 'Too much.', ...(hasLimit ? { limit } : {}) };
  }),
  { maxLength: 4 },
);

/** The checks as they come out of the database. */
function storedChecks(evidence: Evidence, uses: UsesOfTransaction | undefined) {
  const facts = {
    at,
    amount: 1n,
    currency: 'USD',
    protocol: 'internal',
    payer: {},
    payee: null,
    agent: null,
  } as unknown as Authority['facts'];
  const rules = { kya: [], policies: [], budgets: [], rates: {} as never };
  const authority = { at, agentId: undefined, guards: [], facts, rules, ruleResults: evidence.ruleResults };
  const links = { subjectType: null, subjectId: null, approvalId: null, transactionId: uses === undefined ? null : 't' };
  const row = decisionRecord({ workspace: { id: 'w' } as never, clock: { now: () => at } }, authority, 'd', evidence, links);
  return readChecks(JSON.parse(JSON.stringify(row['checks'])), uses);
}

describe('a stored decision', () => {
  it('that was posted has the figures of its ledger transaction', () => {
    fc.assert(
      fc.property(someUses, someResults, (uses, results) => {
        const requirements = [...uses.map(({ use }) => use.ruleId), ...results.map(({ ruleId }) => ruleId)].map((ruleId) => ({
          ruleId,
          message: '',
        }));
        const evidence = { ruleResults: { uses: uses.map(({ use }) => use), results, rateIds: [] }, refusals: [], requirements };
        // The transaction has other uses too: what an earlier posting reserved is given back.
        const givenBack = uses.map(({ use: { counter, window, used } }) => ({ counter, window, used: '0', reserved: String(-used) }));
        const own = uses.map(({ use: { counter, window, used } }) => ({ counter, window, used: '0', reserved: String(used) }));
        const posted = [...givenBack, ...own];
        const limitsBefore = [...uses.map(({ stood, use }) => stood + use.used), ...uses.map(({ stood }) => stood)];
        const decided = decisiveChecks({ ...evidence, before: (use) => uses.find((one) => one.use === use)?.stood });
        expect(storedChecks({ ...evidence, before: () => undefined }, { limits: posted, limitsBefore } as never)).toEqual(decided);
      }),
    );
  });

  it('that was refused has the figures that the refusal had, and no others', () => {
    fc.assert(
      fc.property(someUses, someResults, fc.integer({ min: 0, max: 6 }), (uses, results, known) => {
        const ruleResults = { uses: uses.map(({ use }) => use), results, rateIds: [] };
        const before = (use: RuleUse) =>
          uses.findIndex((one) => one.use === use) < known ? uses.find((one) => one.use === use)?.stood : undefined;
        const evidence = { ruleResults, refusals: [], requirements: [], before };
        const checks = storedChecks(evidence, undefined);
        expect(checks).toEqual(decisiveChecks(evidence));
        const figures = checks.filter(({ limit }) => limit?.counter != null).map((check) => figuresOf(check) !== null);
        expect(figures).toEqual(uses.map(({ use }, n) => n < known && use.maximum !== null));
      }),
    );
  });

  it('has a check of every layer, in order; after a failure those alone that fail too', () => {
    fc.assert(
      fc.property(someUses, someResults, (uses, results) => {
        const ruleResults = { uses: uses.map(({ use }) => use), results, rateIds: [] };
        const checks = withEveryLayer(decisiveChecks({ ruleResults, refusals: [], requirements: [], before: () => undefined }));
        const order = checks.map(({ layer }) => decidingLayers.indexOf(layer));
        expect(order).toEqual([...order].sort((a, b) => a - b));
        expect(new Set(order).size).toBe(decidingLayers.length);
        const stop = checks.find(({ outcome }) => outcome === 'fail')?.layer;
        const after = stop === undefined ? [] : checks.filter((_, n) => (order[n] as number) > decidingLayers.indexOf(stop));
        for (const { outcome } of after) expect(['fail', 'skipped']).toContain(outcome);
        for (const most of [1, 3, 100]) {
          const leading = leadingChecks(checks, most);
          expect(leading).toHaveLength(Math.min(most, checks.length));
          expect(checks.filter((check) => leading.includes(check))).toEqual(leading);
          if (stop !== undefined) expect(leading.some(({ outcome }) => outcome === 'fail')).toBe(true);
        }
      }),
    );
  });
});
