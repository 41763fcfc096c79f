// What the rules were asked of a spend, and what their counters stood at before it (CONTRACT.md 6 and 25).
import type { Decision as DecisionRow } from '../../../generated/prisma/client.js';
import type { Part } from '../../../platform/audit-leaf.js';
import { canonicalJson } from '../../../platform/canonical-json.js';
import { printId } from '../../../platform/schema/id.js';
import type { Check } from '../pipeline/decision.js';
import { type DecisionInput, readChecks } from '../pipeline/decision-record.js';
import { printFigure } from '../pipeline/limit.js';
import { type PostingFacts, textIn } from './posting-fact.js';

// Gap G-771: The part `decision` names rules by id and version, and says `counted` of a limit that its figures decide.
/** The part that is written with the posting. What a counted limit came to follows from its figures. */
export function decisionPart({ decision, uses }: PostingFacts): Part[] {
  if (decision === null) return [];
  const { policies = [], budgets = [], mandate } = decision['input'] as DecisionInput;
  const rules = [
    ...policies.map(([id, version]) => ({ id: printId('policy', id), version })),
    ...budgets.map(([id, version]) => ({ id: printId('budget', id), version })),
    ...(mandate === undefined ? [] : [{ id: printId('mandate', mandate[0]), version: mandate[1] }]),
  ];
  const value = {
    checks: checksOf(decision['checks'], { limits: uses.limits, limitsBefore: [] }).map(printCheck),
    code: textIn(decision, 'code'),
    id: printId('decision', textIn(decision, 'id') ?? ''),
    outcome: textIn(decision, 'outcome'),
    rules,
  };
  return [{ name: 'decision', value: canonicalJson(value) }];
}

/** The part that is added when the leaf is made: for each counted limit of the decision what its counter stood at before. */
export function figuresPart({ decision, uses }: Pick<PostingFacts, 'decision' | 'uses'>): Part[] {
  if (decision === null) return [];
  const figures = checksOf(decision['checks'], uses)
    .filter(isCounted)
    .map(({ ruleId, limit }) => ({ rule_id: ruleId, used: limit?.used == null ? null : printFigure(limit.used, limit.currency) }));
  return figures.length === 0 ? [] : [{ name: 'figures', value: canonicalJson(figures) }];
}

const checksOf = (stored: unknown, uses: PostingFacts['uses']): Check[] => readChecks(stored as DecisionRow['checks'], uses);

const isCounted = ({ limit }: Check): boolean => limit !== null && limit.counter !== null;

function printCheck(check: Check) {
  const { layer, ruleId, outcome, limit } = check;
  const printed = { layer, outcome: isCounted(check) ? 'counted' : outcome, rule_id: ruleId };
  if (limit === null) return printed;
  const { currency, max, per, requested } = limit;
  const print = (figure: bigint) => printFigure(figure, currency);
  return { ...printed, currency, max: max === null ? null : print(max), per, requested: print(requested) };
}
