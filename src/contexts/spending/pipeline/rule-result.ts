// What the layers of rules are given of a spend, and what they answer (CONTRACT.md 0 "Spend pipeline"). Everything that they are given
// stands in the facts, which a decision keeps, so that it can be computed again.
import type { Protocol } from '../../../generated/prisma/client.js';
import type { RuleLayer } from './layer.js';
import type { LimitFigures, RuleUse } from './limit.js';

/** Whose money is spent: that of a wallet, or of a card, which has none. */
export interface Payer {
  walletId: string | null;
  accountId: string;
  /** The agent whose it is. */
  agentId: string | null;
}

/** A merchant, as far as rules ask for it. */
export interface PaidMerchant {
  id: string;
  category: string;
  /** It is not active: it is paid by no mandate. */
  isInactive?: true;
}

/** What is known of a spend before the ledger is asked. Ids are bare. */
export interface SpendFacts {
  /** Workspace time, in whose windows the limits count. */
  at: Date;
  /** Minor units, with everything that leaves the wallet: fees too. */
  amount: bigint;
  currency: string;
  protocol: Protocol;
  /** Whose money it is. */
  payer: Payer;
  /** Who gets it; null: outside of the platform. */
  payee: { walletId: string; accountId: string; agentId: string | null } | null;
  /** The agent that spends, if one does. */
  agent: { id: string; kyaTier: number } | null;
  /** The merchant that is paid; undefined when no rule asks for it. */
  merchant?: PaidMerchant | null | undefined;
  /** Further merchants that are paid with it: who settle in the same wallet, or where nobody does, those of its account. */
  otherMerchants?: readonly PaidMerchant[] | undefined;
  /** The other merchants of that account: what blocks one of them blocks its account, and no list of what is allowed asks for them. */
  sisterMerchants?: readonly PaidMerchant[] | undefined;
  /** Whether the payer's account has paid the payee's before; undefined when no rule asks for it. */
  isKnownCounterparty?: boolean | undefined;
  traceId: string | null;
  mandateId: string | null;
  /** The connection whose program asks, or has asked for what is approved now. */
  connectionId?: string | null | undefined;
  /** The trip of the breaker that makes the agent ask for each spend. */
  breakerTripId: string | null;
  /** Rules that an approval has lifted, by rule id; null while none was given. */
  lifted: readonly string[] | null;
}

/** What a rule says of a spend by itself, whatever was spent before. */
export interface RuleResult {
  layer: RuleLayer;
  ruleId: string;
  /** `approve`: it has to be approved. */
  outcome: 'fail' | 'approve';
  code: 'kya_limit_exceeded' | 'policy_violation' | 'merchant_blocked' | 'budget_exceeded' | 'mandate_limit_exceeded';
  /** A word for programs: `max_amount`, `protocol`, `merchant`, `hours`, `no_rate`, `expired`... */
  reason: string;
  /** The sentence for people. */
  message: string;
  limit?: LimitFigures;
  /** For how long an approval waits, where the rule says so. */
  timeoutSeconds?: number;
  /** Its policy asks people for the approval. */
  asksPeople?: true;
  /** Further facts for `details`, in names of the wire. */
  facts?: Record<string, unknown>;
}

/** What one layer of rules says, or all of them together. */
export interface RuleResults {
  uses: RuleUse[];
  results: RuleResult[];
  /** Ids of the rates that were used to convert. */
  rateIds: string[];
}

/**
 * Whether an approval lifts a rule where the caller asks for one: those of policies and budgets, but for a limit that cannot count the
 * spend for want of a rate (see G-143).
 */
export function isApprovable(ruleId: string, reason?: string): boolean {
  return /^(pol|bud)_/.test(ruleId) && reason !== 'no_rate';
}

/** True where the people whom the policy of a rule asks have voted: its rules ask for no other approval, whatever they have become. */
export function havePeopleVoted(ruleId: string, lifted: readonly string[]): boolean {
  return lifted.includes(ruleId.split('.', 1)[0] ?? ruleId);
}

/** A limit whose currency a spend cannot be converted to: nobody can say how much of it the spend would use. */
export function noRate(layer: RuleLayer, ruleId: string, code: RuleResult['code'], spent: string, counted: string): RuleResult {
  const message = `The limit is in ${counted}, and no rate says what ${spent} is worth in it.`;
  return { layer, ruleId, outcome: 'fail', code, reason: 'no_rate', message, facts: { currency: spent, limit_currency: counted } };
}
