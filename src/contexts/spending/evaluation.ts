// What the layers of rules are given of a spend, and what they answer (CONTRACT.md 0 "Spend pipeline"). Everything that they are given
// stands in the facts, which a decision keeps, so that it can be computed again.
import type { Protocol } from '../../generated/prisma/client.js';
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
  /** Whether the payer's account has paid the payee's before; undefined when no rule asks for it. */
  isKnownCounterparty?: boolean | undefined;
  traceId: string | null;
  mandateId: string | null;
  /** The trip of the breaker that makes the agent ask for each spend. */
  breakerTripId: string | null;
  /** Rules that an approval has lifted, by rule id; null while none was given. */
  lifted: readonly string[] | null;
}

/** What a rule says of a spend by itself, whatever was spent before. */
export interface Finding {
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
  /** Further facts for `details`, in names of the wire. */
  facts?: Record<string, unknown>;
}

/** What one layer says. */
export interface LayerAnswer {
  uses: RuleUse[];
  findings: Finding[];
  /** Ids of the rates that were used to convert. */
  rateIds: string[];
}

/** What all layers say together. */
export type Evaluation = LayerAnswer;
