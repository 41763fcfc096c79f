// What the limits of a vaulted card let it pay: at a time, in a UTC day and month, and in which categories of merchants (CONTRACT.md 14).
// They are consumed in the posting like any others.
import { formatMinor } from '../../../platform/money.js';
import { printId } from '../../../platform/schema/id.js';
import type { RateBook } from '../../rates/rate.js';
import { windowOf } from './limit.js';
import { noRate, type RuleResult, type RuleResults, type SpendFacts } from './rule-result.js';

/** A vaulted card, as the pipeline enforces it. Amounts in minor units of the currency of its limits; null: no such limit. Ids are bare. */
export interface EnforcedCard {
  id: string;
  /** The one agent that pays with it; null: any of its account. */
  agentId: string | null;
  currency: string;
  perTx: bigint | null;
  daily: bigint | null;
  monthly: bigint | null;
  /** Empty: any. */
  allowedCategories: readonly string[];
}

/** The counter of what was paid with a card, in the currency of its limits. */
function cardCounter(cardId: string, currency: string): string {
  return `card:${cardId}:${currency}`;
}

// Gap G-243: Card limits count by UTC day and month from the first limit on, over all agents that pay with the card.
/**
 * What the limits of a card say of a spend. Of a card with any limit, day and month are both counted, so that one that is set later knows
 * what was paid since the first.
 */
export function cardLayer(facts: SpendFacts, card: EnforcedCard | undefined, rates: RateBook): RuleResults {
  if (card === undefined) return { uses: [], results: [], rateIds: [] };
  const { id, currency, perTx, daily, monthly } = card;
  const { amount, at } = facts;
  const ruleId = printId('vaultedCard', id);
  const results = categoryResults(card, ruleId, facts);
  const converted = rates.convertUp(amount, facts.currency, currency);
  if (converted === null) {
    if (perTx !== null || daily !== null || monthly !== null)
      results.push(noRate('policy', ruleId, 'policy_violation', facts.currency, currency));
    return { uses: [], results, rateIds: [] };
  }
  const { minor: requested, rateIds } = converted;
  if (perTx !== null && requested > perTx) results.push(tooLarge(ruleId, currency, perTx, requested));
  const uses = [['day', daily] as const, ['month', monthly] as const].map(([per, maximum]) => {
    const { name: window, resetsAt } = windowOf(per, at);
    const counted = { counter: cardCounter(id, currency), window, used: requested, reserved: 0n, maximum };
    return { ...counted, layer: 'policy' as const, ruleId, per, currency, action: 'deny' as const, resetsAt };
  });
  return { uses, results, rateIds: [...rateIds] };
}

function categoryResults({ allowedCategories }: EnforcedCard, ruleId: string, { merchant }: SpendFacts): RuleResult[] {
  if (allowedCategories.length === 0 || (merchant != null && allowedCategories.includes(merchant.category))) return [];
  const message = 'The limits of the card name the categories of merchants that it pays, and this is in none of them.';
  const facts = { merchant_id: merchant == null ? null : printId('merchant', merchant.id) };
  return [{ layer: 'policy', ruleId, outcome: 'fail', code: 'merchant_blocked', reason: 'category_not_allowed', message, facts }];
}

function tooLarge(ruleId: string, currency: string, max: bigint, requested: bigint): RuleResult {
  const limit = { kind: 'policy', per: 'tx', currency, max, used: 0n, requested, resetsAt: null } as const;
  const print = (minor: bigint) => `${formatMinor(minor, currency)} ${currency}`;
  const message = `The limits of the card allow ${print(max)} at a time; this is ${print(requested)}.`;
  return { layer: 'policy', ruleId, outcome: 'fail', code: 'policy_violation', reason: 'max_amount', message, limit };
}
