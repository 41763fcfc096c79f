// Findings that several layers share.
import type { Finding } from './evaluation.js';
import type { RuleLayer } from './layer.js';

/**
 * Whether an approval lifts a rule where the caller asks for one: those of policies and budgets, but for a limit that cannot count the
 * spend for want of a rate (Gap G-143).
 */
export function isApprovable(ruleId: string, reason?: string): boolean {
  return /^(pol|bud)_/.test(ruleId) && reason !== 'no_rate';
}

/** A limit whose currency a spend cannot be converted to: nobody can say how much of it the spend would use. */
export function noRate(layer: RuleLayer, ruleId: string, code: Finding['code'], spent: string, counted: string): Finding {
  const message = `The limit is in ${counted}, and no rate says what ${spent} is worth in it.`;
  return { layer, ruleId, outcome: 'fail', code, reason: 'no_rate', message, facts: { currency: spent, limit_currency: counted } };
}
