// Findings that several layers share.
import type { Finding } from './evaluation.js';
import type { RuleLayer } from './layer.js';

/** A limit whose currency a spend cannot be converted to: nobody can say how much of it the spend would use. */
export function noRate(layer: RuleLayer, ruleId: string, code: Finding['code'], spent: string, counted: string): Finding {
  const message = `The limit is in ${counted}, and no rate says what ${spent} is worth in it.`;
  return { layer, ruleId, outcome: 'fail', code, reason: 'no_rate', message, facts: { currency: spent, limit_currency: counted } };
}
