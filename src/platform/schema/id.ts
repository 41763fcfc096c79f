// Identifiers: UUIDv7 in storage; bare or prefixed on the wire, field by field; both accepted on input (Gap G-03) (CONTRACT.md 0 "Ids").
import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * Every kind of id, declared once: its prefix, as printed in events and where the spec types the id as a string, and its scalars
 * with the form that each prints. A kind without a scalar is no member of the schema.
 */
export const idKinds = {
  account: { prefix: 'acc', scalars: { AccountId: 'bare' } },
  wallet: { prefix: 'wal', scalars: { WalletId: 'bare' } },
  merchant: { prefix: 'mer', scalars: { MerchantId: 'prefixed' } },
  transfer: { prefix: 'tx', scalars: { TransferId: 'bare' } },
  quote: { prefix: 'qt', scalars: { QuoteId: 'prefixed' } },
  stream: { prefix: 'str', scalars: { StreamId: 'prefixed' } },
  batch: { prefix: 'bat', scalars: { BatchId: 'prefixed' } },
  refund: { prefix: 'rf', scalars: { RefundId: 'bare' } },
  dispute: { prefix: 'dsp', scalars: { DisputeId: 'prefixed' } },
  bankAccount: { prefix: 'ba', scalars: { BankAccountId: 'prefixed' } },
  payout: { prefix: 'po', scalars: { PayoutId: 'prefixed' } },
  fundingTransaction: { prefix: 'fnd', scalars: { FundingTransactionId: 'prefixed' } },
  vaultedCard: { prefix: 'card', scalars: { VaultedCardId: 'prefixed' } },
  cardCharge: { prefix: 'chg', scalars: { CardChargeId: 'prefixed' } },
  cardVerification: { prefix: 'nref', scalars: { CardNetworkRef: 'prefixed' } },
  cardInstruction: { prefix: 'ins', scalars: { CardInstructionId: 'prefixed' } },
  cardRefund: { prefix: 'crf', scalars: {} },
  settlementRule: { prefix: 'srl', scalars: { SettlementRuleId: 'bare' } },
  settlementExecution: { prefix: 'exe', scalars: { SettlementExecutionId: 'prefixed' } },
  settlementWindow: { prefix: 'win', scalars: { SettlementWindowId: 'bare' } },
  report: { prefix: 'rec', scalars: { ReportId: 'prefixed' } },
  discrepancy: { prefix: 'disc', scalars: { DiscrepancyId: 'prefixed' } },
  railEntry: { prefix: 'ren', scalars: { RailEntryId: 'prefixed' } },
  railImport: { prefix: 'imp', scalars: { RailImportId: 'prefixed' } },
  railFault: { prefix: 'flt', scalars: { RailFaultId: 'prefixed' } },
  acpCheckout: { prefix: 'acp_chk', scalars: { AcpCheckoutId: 'prefixed' } },
  ucpCheckout: { prefix: 'ucp_chk', scalars: { UcpCheckoutId: 'prefixed' } },
  x402Endpoint: { prefix: 'epd', scalars: { X402EndpointId: 'prefixed' } },
  x402Payment: { prefix: 'pay', scalars: { X402PaymentId: 'prefixed' } },
  x402Quote: { prefix: 'preq', scalars: { X402QuoteId: 'prefixed' } },
  mandate: { prefix: 'ap2_mnd', scalars: { MandateId: 'prefixed' } },
  mandateExecution: { prefix: 'ap2_exec', scalars: { MandateExecutionId: 'prefixed' } },
  mppSession: { prefix: 'mses', scalars: { MppSessionId: 'prefixed' } },
  mppPayment: { prefix: 'mpay', scalars: { MppPaymentId: 'prefixed' } },
  mppVoucher: { prefix: 'vch', scalars: { MppVoucherId: 'prefixed' } },
  task: { prefix: 'task', scalars: { TaskId: 'bare' } },
  taskMessage: { prefix: 'msg', scalars: { TaskMessageId: 'prefixed' } },
  agent: { prefix: 'agt', scalars: { AgentId: 'prefixed', AgentUuid: 'bare' } },
  rate: { prefix: 'rate', scalars: { RateId: 'prefixed' } },
  policy: { prefix: 'pol', scalars: { PolicyId: 'prefixed' } },
  budget: { prefix: 'bud', scalars: { BudgetId: 'prefixed' } },
  snapshot: { prefix: 'snap', scalars: { SnapshotId: 'prefixed' } },
  decision: { prefix: 'dec', scalars: { DecisionId: 'prefixed' } },
  breakerTrip: { prefix: 'trip', scalars: { BreakerTripId: 'prefixed' } },
  approval: { prefix: 'apr', scalars: { ApprovalId: 'prefixed' } },
  authKey: { prefix: 'auth', scalars: { AuthKeyId: 'prefixed' } },
  agentToken: { prefix: 'atk', scalars: { AgentTokenId: 'prefixed' } },
  session: { prefix: 'ses', scalars: { SessionId: 'prefixed' } },
  apiKey: { prefix: 'key', scalars: { ApiKeyId: 'prefixed' } },
  portalToken: { prefix: 'ptk', scalars: { PortalTokenId: 'prefixed' } },
  auditEntry: { prefix: 'aud', scalars: { AuditEntryId: 'prefixed' } },
  event: { prefix: 'evt', scalars: { EventId: 'prefixed' } },
  webhook: { prefix: 'wh', scalars: { WebhookId: 'prefixed' } },
  delivery: { prefix: 'dlv', scalars: { DeliveryId: 'prefixed' } },
  attempt: { prefix: 'del', scalars: { AttemptId: 'prefixed' } },
  testClock: { prefix: 'clk', scalars: { TestClockId: 'prefixed' } },
  operation: { prefix: 'op', scalars: { OperationId: 'prefixed' } },
  request: { prefix: 'req', scalars: {} },
  ledgerTransaction: { prefix: 'ltx', scalars: { LedgerTransactionId: 'prefixed' } },
} as const satisfies Record<string, { prefix: string; scalars: Record<string, 'bare' | 'prefixed'> }>;
export type IdKind = keyof typeof idKinds;

type NamesOf<K> = K extends IdKind ? keyof (typeof idKinds)[K]['scalars'] : never;
/** The scalars of ids: `AccountId`, `WalletId`... */
export type IdScalar = NamesOf<IdKind>;

const anyIdPattern = /^(?:[a-z][a-z0-9_]{0,15}_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Clocks that may be used in turn: that of the machine, and those of workspaces that were moved. */
const clocks = 16;
/** The last sequence number of each of the milliseconds that ids were made in last. */
const sequences = new Map<number, number>();

/**
 * A new UUIDv7 whose time is `at` (workspace time): ids sort as the things happened, also those that one process makes
 * within one millisecond, whatever it makes by other clocks in between.
 */
export function newId(at: Date): string {
  const msecs = at.getTime();
  const last = sequences.get(msecs);
  const seq = last === undefined ? randomInt(0x7fff_ffff) : (last + 1) >>> 0;
  // A Map lists what was set first, so what was not used for the longest time is forgotten.
  sequences.delete(msecs);
  sequences.set(msecs, seq);
  const [oldest] = sequences.size > clocks ? sequences.keys() : [];
  if (oldest !== undefined) sequences.delete(oldest);
  return v7({ msecs, seq });
}

/** `agt_0198...`: the prefixed form of an id. */
export function printId(kind: IdKind, id: string): string {
  return `${idKinds[kind].prefix}_${id}`;
}

/** The id of a thing of any type, as REST prints it where it stands by itself; of a type without a form of its own the bare UUID. */
export function printSubject(type: string, id: string): string {
  const name = type.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as IdKind;
  const kind = idKinds[name] as (typeof idKinds)[IdKind] | undefined;
  return kind === undefined || Object.values(kind.scalars)[0] === 'bare' ? id : printId(name, id);
}

/** The bare UUID of `text`, which may be bare or carry the prefix of its kind; null when it cannot be such an id. */
export function parseId(kind: IdKind, text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const prefix = `${idKinds[kind].prefix}_`;
  const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return uuidPattern.test(bare) ? bare.toLowerCase() : null;
}

/** The bare UUID of an id of any kind; null when `text` cannot be one. */
export function parseAnyId(text: string): string | null {
  return anyIdPattern.exec(text)?.[1]?.toLowerCase() ?? null;
}
