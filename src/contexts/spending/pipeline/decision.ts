// What the pipeline said of a spend, layer by layer: what was asked, what each layer answered, what was used and what is left
// (CONTRACT.md 6).
import type { Decision as DecisionRow } from '../../../generated/prisma/client.js';
import type { LimitUse } from '../../../ledger/posting.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type DecidingLayer, decidingLayers } from './layer.js';
import type { LimitFigures, RuleUse } from './limit.js';
import type { Refusal } from './refusal.js';
import { sentenceOf } from './rule-refusal.js';
import type { RuleResult, RuleResults } from './rule-result.js';

export type CheckOutcome = 'pass' | 'fail' | 'approve' | 'skipped';

/**
 * One check of a layer. A layer with several rules has a check for each that limits or refuses; `skipped` when an earlier layer
 * refused.
 */
export interface Check {
  layer: DecidingLayer;
  ruleId: string | null;
  outcome: CheckOutcome;
  limit: CheckedLimit | null;
  /** The sentence of a rule that does not let the spend pass. */
  message: string | null;
}

/** A limit that was asked. */
export interface CheckedLimit extends Omit<LimitFigures, 'kind' | 'max' | 'used'> {
  /** Null for one that an approval has lifted. */
  max: bigint | null;
  /** What its counter stood at before; null where nobody looked. */
  used: bigint | null;
  /** Null for the limit of a single spend. */
  counter: Pick<LimitUse, 'counter' | 'window'> | null;
}

export interface Decision {
  /** Null where none is stored. */
  id: string | null;
  outcome: DecisionRow['outcome'];
  /** The code and the sentence of the refusal. */
  code: string | null;
  message: string | null;
  checks: Check[];
  /** Ids of the rates that were used to convert. */
  rateIds: readonly string[];
  evaluatedAt: Date;
  /** Of one that is stored. */
  row?: DecisionRow;
}

/** What stands in the way of a spend and could be approved: a rule's result, or a limit that would be passed. */
export interface ApprovalRequirement {
  ruleId: string;
  message: string;
  /** For how long the approval waits, where the rule says so. */
  timeoutSeconds?: number | undefined;
}

/** All that a decision is made of. */
export interface Evidence {
  ruleResults: RuleResults;
  /** Refusals of any layer. Empty when the spend passes or waits for an approval. */
  refusals: readonly Refusal[];
  /** The rules that ask for an approval. */
  requirements: readonly ApprovalRequirement[];
  /** By use, what its counter stood at before; undefined where nobody looked. */
  before: (use: RuleUse) => bigint | undefined;
}

/** The decision that follows from its evidence. */
export function decide(ctx: Pick<Ctx, 'clock'>, evidence: Evidence): Decision {
  const checks = withEveryLayer(decisiveChecks(evidence));
  return { id: null, ...outcomeOf(evidence), checks, rateIds: evidence.ruleResults.rateIds, evaluatedAt: ctx.clock.now() };
}

/** What a decision comes to. */
export function outcomeOf({ refusals, requirements }: Evidence): Pick<Decision, 'outcome' | 'code' | 'message'> {
  const first = refusals[0];
  return {
    outcome: first !== undefined ? 'deny' : requirements.length > 0 ? 'require_approval' : 'allow',
    code: first?.error.code ?? null,
    message: first?.error.message ?? requirements[0]?.message ?? null,
  };
}

/** The checks that are more than a layer passed: those of rules, and those of layers that refuse. */
export function decisiveChecks({ ruleResults, refusals, requirements, before }: Evidence): Check[] {
  const required = new Set(requirements.map(({ ruleId }) => ruleId));
  return [
    ...ruleResults.results.map((result) => resultCheck(result, required)),
    ...ruleResults.uses.map((use) => useCheck(use, before(use) ?? null, required)),
    ...refusals.flatMap(({ layer, ruleId, error }) =>
      ruleId === undefined ? [{ ...plainCheck(layer as DecidingLayer, 'fail'), message: error.message }] : [],
    ),
  ];
}

// Gap G-123: A single decision has all checks (500), in a list 40, failures first; layers after the refusing one are `skipped`.
/** The checks in the order of the layers. A layer without any was passed, or skipped after one that refused. */
export function withEveryLayer(checks: readonly Check[]): Check[] {
  const failed = checks.filter(({ outcome }) => outcome === 'fail').map(({ layer }) => decidingLayers.indexOf(layer));
  const stop = Math.min(decidingLayers.length, ...failed);
  return decidingLayers.flatMap((layer, index): Check[] => {
    const own = checks.filter((check) => check.layer === layer && (index <= stop || check.outcome === 'fail'));
    return own.length > 0 ? own : [plainCheck(layer, index <= stop ? 'pass' : 'skipped')];
  });
}

const byWeight: readonly CheckOutcome[] = ['fail', 'approve', 'pass', 'skipped'];

/** At most so many of the checks, in their order: those first of all that do not let the spend pass. */
export function leadingChecks(checks: readonly Check[], most: number): readonly Check[] {
  if (checks.length <= most) return checks;
  const heaviest = byWeight.flatMap((outcome) => checks.filter((check) => check.outcome === outcome));
  const chosen = new Set(heaviest.slice(0, most));
  return checks.filter((check) => chosen.has(check));
}

function plainCheck(layer: DecidingLayer, outcome: CheckOutcome): Check {
  return { layer, ruleId: null, outcome, limit: null, message: null };
}

function resultCheck({ layer, ruleId, outcome, message, limit }: RuleResult, required: ReadonlySet<string>): Check {
  const check = { layer, ruleId, outcome: required.has(ruleId) ? ('approve' as const) : outcome, message };
  if (limit === undefined) return { ...check, limit: null };
  const { per, currency, max, used, requested, resetsAt } = limit;
  return { ...check, limit: { per, currency, max, used, requested, resetsAt, counter: null } };
}

function useCheck(use: RuleUse, used: bigint | null, required: ReadonlySet<string>): Check {
  const { layer, ruleId, per, currency, maximum: max, counter, window, resetsAt } = use;
  const limit = { per, currency, max, used, requested: use.used + use.reserved, resetsAt, counter: { counter, window } };
  if (used === null) return { layer, ruleId, outcome: 'pass', limit, message: null };
  return settledCheck({ layer, ruleId, limit }, required.has(ruleId) ? 'approve' : 'fail');
}

/** The check of a limit by its figures; `beyond` is what becomes of a spend that would pass it. */
export function settledCheck(check: Pick<Check, 'layer' | 'ruleId'> & { limit: CheckedLimit }, beyond: 'approve' | 'fail'): Check {
  const figures = figuresOf(check);
  const isPassed = figures !== null && figures.used + figures.requested > figures.max;
  if (!isPassed) return { ...check, outcome: 'pass', message: null };
  return { ...check, outcome: beyond, message: sentenceOf({ layer: figures.kind, ruleId: check.ruleId, ...check.limit }, figures) };
}

/** The figures of the limit of a check; null where it has none, or where nobody looked at its counter. */
export function figuresOf({ layer, limit }: Pick<Check, 'layer' | 'limit'>): LimitFigures | null {
  if (limit === null || limit.max === null || limit.used === null) return null;
  const { per, currency, max, used, requested, resetsAt } = limit;
  return { kind: layer as LimitFigures['kind'], per, currency, max, used, requested, resetsAt };
}
