// The manifest: what the process asks of each context besides its face. The first imports are for their effect: contexts declare
// their events there, and the subjects of approvals.
import type { Metric } from 'prom-client';
import './contexts/accounts/events.js';
import './contexts/settlement/events.js';
import './contexts/settlement-rules/events.js';
import './contexts/batches/events.js';
import './contexts/reconciliation/events.js';
import './contexts/spending/events.js';
import './contexts/spending/breaker-events.js';
import './contexts/spending/budget-events.js';
import './contexts/transfers/events.js';
import './contexts/mandates/events.js';
import './contexts/checkouts/card-payment.js';
import './contexts/checkouts/events.js';
import './contexts/checkouts/fulfillment.js';
import './contexts/checkouts/payment-approval.js';
import './contexts/webhooks/events.js';
import './contexts/x402/events.js';
import './contexts/x402/payment-life.js';
import './contexts/x402/simulated-chain.js';
import './contexts/transfers/approval.js';
import './contexts/settlement/payout-approval.js';
import './contexts/settlement/payout-request.js';
import './contexts/settlement/simulated-rail.js';
import './contexts/streams/events.js';
import './contexts/streams/approval.js';
import './contexts/mpp/approval.js';
import './contexts/cards/charge-approval.js';
import './contexts/tasks/events.js';
import './contexts/tasks/approval.js';
import './contexts/tasks/review.js';
import './contexts/cards/instruction-approval.js';
import './contexts/cards/simulated-network.js';
import { cardDoors } from './contexts/a2a/card.door.js';
import { rpcDoors } from './contexts/a2a/json-rpc.door.js';
import { acpDoors } from './contexts/acp/acp.door.js';
import { sweepAgentEvents, writeChannels } from './contexts/agents/channel-event.js';
import { endStreams } from './contexts/agents/connection.js';
import { agentTokenCredential, sessionCredential } from './contexts/agents/credential.js';
import { sweepLogins } from './contexts/agents/session.js';
import { demandListener } from './contexts/analytics/demand.sql.js';
import { chainAudit } from './contexts/audit/chain.js';
import { stepBatch } from './contexts/batches/batch-step.js';
import { openCharges } from './contexts/cards/charge.js';
import { chargeOrders } from './contexts/cards/charge-life.js';
import { stepInstruction } from './contexts/cards/instruction-life.js';
import { agentKeyDirectoryDoor, keyDirectoryDoor } from './contexts/cards/key-directory.door.js';
import { sweepVerifications } from './contexts/cards/verification.sql.js';
import { expireCheckout } from './contexts/checkouts/ending.js';
import { openCheckouts } from './contexts/checkouts/open.sql.js';
import { endWorkspaceStreams } from './contexts/events/workspace-stream.js';
import { fundingOrders } from './contexts/funding/funding-life.js';
import { openFunding } from './contexts/funding/funding-transaction.js';
import { apiKeyCredential, jwtCredential, portalCredential } from './contexts/identity/credential.js';
import { sweepDirectory, sweepEndedJwts } from './contexts/identity/directory.js';
import { endMandates } from './contexts/mandates/mandate-end.sql.js';
import { stepMandate } from './contexts/mandates/mandate-request.js';
import { closeSessions, stepMppSession } from './contexts/mpp/closing.js';
import { mppScheme } from './contexts/mpp/paid-call.js';
import { openSessions } from './contexts/mpp/session.js';
import { stepReport } from './contexts/reconciliation/run.js';
import { openCardRefunds } from './contexts/refunds/card-refund.js';
import { cardRefundOrders } from './contexts/refunds/card-refund-life.js';
import { stepDispute } from './contexts/refunds/dispute.js';
import { resumeClocks } from './contexts/sandbox/clock.js';
import { openPayouts } from './contexts/settlement/payout.js';
import { payoutOrders } from './contexts/settlement/payout-order.js';
import { railDoor } from './contexts/settlement/rail.door.js';
import { stepOrder } from './contexts/settlement/rail-book.js';
import { openReserves, reserveHeld, stepReserve } from './contexts/settlement/reserve.js';
import { orderStep } from './contexts/settlement/submission.js';
import { stepWindow } from './contexts/settlement/window-closing.js';
import { settlementListener } from './contexts/settlement-rules/hearing.js';
import { stepTimer } from './contexts/settlement-rules/schedule.js';
import { stepExecution } from './contexts/settlement-rules/settling.js';
import { stepRule } from './contexts/settlement-rules/timing.js';
import { expireApproval } from './contexts/spending/approval.js';
import { sweepSpendMinutes } from './contexts/spending/breaker.sql.js';
import { breakerListener, lookAtAgent } from './contexts/spending/breaker-look.js';
import { stepCrossing } from './contexts/spending/budget-alert.js';
import { counterpartyListener } from './contexts/spending/counterparty.sql.js';
import { sweepDecisions } from './contexts/spending/decision.sql.js';
import { writeRefusals } from './contexts/spending/refusal-writer.js';
import { stepStream } from './contexts/streams/due.js';
import { pauseStreams } from './contexts/streams/freeze.sql.js';
import { openStreams, streamEscrow } from './contexts/streams/stream.js';
import { endTasks, stepTask } from './contexts/tasks/due.js';
import { openTasks } from './contexts/tasks/task.js';
import { stepTransfer } from './contexts/transfers/hold.js';
import { sweepQuotes } from './contexts/transfers/quote.sql.js';
import { openTransfers } from './contexts/transfers/transfer-list.js';
import { ucpDoors } from './contexts/ucp/ucp.door.js';
import { writeRequests } from './contexts/usage/request-count.js';
import { sweepAccountRequests, sweepOperations, sweepRequests, sweepRollups } from './contexts/usage/retention.sql.js';
import { usageListener } from './contexts/usage/rollup.sql.js';
import { deliveryStep } from './contexts/webhooks/attempt.js';
import { attempts, deadLetters, deliveryGauges } from './contexts/webhooks/delivery-metric.js';
import { turns } from './contexts/webhooks/gate.js';
import { sweepGates } from './contexts/webhooks/gate.sql.js';
import { stepWebhook } from './contexts/webhooks/verification.js';
import { stepPayment } from './contexts/x402/chain-payment.js';
import { endpointListener } from './contexts/x402/endpoint-total.sql.js';
import { discoveryDoor, settleDoor, supportedDoor, verifyDoor } from './contexts/x402/facilitator.door.js';
import { challengeDoor, paidDoors } from './contexts/x402/paid.door.js';
import { openPayments } from './contexts/x402/payment.js';
import { sweepPaymentRequests } from './contexts/x402/quote.sql.js';
import type { EventListener } from './events/listener.js';
import { type Followers, sweepEvents, sweepPublications } from './events/outbox.js';
import { listenerGauges, outboxGauges } from './events/publication-gauge.js';
import { lags as publicationLags, steps as publicationSteps } from './events/publication-metric.js';
import { setSizes, waits } from './ledger/posting-metric.js';
import { sweepClaims, sweepHolds, sweepLimitCounters } from './ledger/sweep.js';
import type { EscrowExplanation } from './ledger/trial-balance.js';
import type { CredentialResolver } from './platform/credential.js';
import type { OnFreeze, OpenOn, Platform } from './platform/ctx.js';
import { writeDenials } from './platform/denial.js';
import type { Door } from './platform/door.js';
import type { AfterCommit } from './platform/due/after-commit.js';
import { dueGauges } from './platform/due/due-gauge.js';
import type { RealTimeWork } from './platform/due/real-time.js';
import { type DueStep, rowStep } from './platform/due/step.js';
import type { Sweep } from './platform/due/sweep.js';
import type { GaugeGroup } from './platform/gauge.js';

/** Who is asked what a credential stands for; chosen by how it begins. */
export const credentialResolvers: readonly CredentialResolver[] = [
  apiKeyCredential,
  sessionCredential,
  agentTokenCredential,
  jwtCredential,
  portalCredential,
];

/** What parts of the process count, for /metrics. */
export const metrics: readonly Metric[] = [setSizes, waits, publicationSteps, publicationLags, attempts, deadLetters];

/** Who hears every published event, in transactions of its own. */
const listeners: readonly EventListener[] = [
  counterpartyListener,
  breakerListener,
  settlementListener,
  endpointListener,
  usageListener,
  demandListener,
];

/** What follows from published events. */
export const followers: Followers = { writeChannels, listeners };

/** What /metrics reads when it is asked for. */
export const gauges: readonly GaugeGroup[] = [outboxGauges, listenerGauges(listeners.map(({ name }) => name)), dueGauges, deliveryGauges];

/** What becomes due, by table. */
export const dueSteps: readonly DueStep[] = [
  rowStep({ table: 'transfer', concurrency: 8, run: stepTransfer }),
  rowStep({ table: 'stream', concurrency: 8, run: stepStream }),
  rowStep({ table: 'mpp_session', concurrency: 8, run: stepMppSession }),
  rowStep({ table: 'task', concurrency: 8, run: stepTask }),
  rowStep({ table: 'mandate', concurrency: 8, run: stepMandate }),
  rowStep({ table: 'approval', concurrency: 8, run: expireApproval }),
  rowStep({ table: 'dispute', concurrency: 4, run: stepDispute }),
  rowStep({ table: 'breaker_look', isBookkeeping: true, concurrency: 4, run: lookAtAgent }),
  rowStep({ table: 'limit_crossing', isBookkeeping: true, concurrency: 8, run: stepCrossing }),
  // A rail that hangs holds up its own orders alone: each is a lane.
  rowStep({ table: 'payout', concurrency: 128, run: orderStep(payoutOrders), lane: { column: 'lane', concurrency: 8 } }),
  rowStep({ table: 'funding_transaction', concurrency: 128, run: orderStep(fundingOrders), lane: { column: 'lane', concurrency: 8 } }),
  rowStep({ table: 'card_charge', concurrency: 128, run: orderStep(chargeOrders), lane: { column: 'lane', concurrency: 8 } }),
  rowStep({ table: 'card_refund', concurrency: 128, run: orderStep(cardRefundOrders), lane: { column: 'lane', concurrency: 8 } }),
  // A network that hangs holds up its own instructions alone.
  rowStep({ table: 'card_instruction', concurrency: 64, run: stepInstruction, lane: { column: 'lane', concurrency: 8 } }),
  rowStep({ table: 'rail_order', isBookkeeping: true, concurrency: 8, run: stepOrder }),
  rowStep({ table: 'settlement_rule', concurrency: 4, run: stepRule }),
  rowStep({ table: 'settlement_timer', concurrency: 4, run: stepTimer }),
  // What rules do with one wallet follows each other.
  rowStep({ table: 'settlement_execution', concurrency: 16, run: stepExecution, lane: { column: 'wallet_id', concurrency: 1 } }),
  rowStep({ table: 'settlement_window', concurrency: 4, run: stepWindow }),
  rowStep({ table: 'settlement_reserve', concurrency: 4, run: stepReserve }),
  rowStep({ table: 'reconciliation_report', isBookkeeping: true, concurrency: 2, run: stepReport }),
  rowStep({ table: 'batch', isBookkeeping: true, concurrency: 4, run: stepBatch }),
  rowStep({ table: 'checkout', concurrency: 8, run: expireCheckout }),
  rowStep({ table: 'x402_payment', concurrency: 8, run: stepPayment }),
  // Endpoints of one workspace that do not answer hold up its own challenges alone.
  rowStep({ table: 'webhook', concurrency: 32, run: stepWebhook }),
  deliveryStep,
];

/** What follows from commits, beside events. */
export const afterCommits: readonly AfterCommit[] = [chainAudit];

/** What is done in real time, whatever the clocks of workspaces say. */
export const realTime: readonly RealTimeWork[] = [turns];

/** Endpoints of the wires of others. */
export const doors: readonly Door[] = [
  railDoor,
  ...acpDoors,
  ...ucpDoors,
  ...cardDoors,
  ...rpcDoors,
  challengeDoor([mppScheme]),
  ...paidDoors([mppScheme]),
  verifyDoor,
  settleDoor,
  supportedDoor,
  discoveryDoor,
  keyDirectoryDoor,
  agentKeyDirectoryDoor,
];

/** What may keep a wallet, and so its account, from being closed. */
export const openOn: readonly OpenOn[] = [
  openTransfers,
  openStreams,
  openSessions,
  openTasks,
  openPayouts,
  openFunding,
  openCharges,
  openCardRefunds,
  openReserves,
  openCheckouts,
  openPayments,
];

/** What stops at the instant at which somebody's spending is stopped. */
export const onFreeze: readonly OnFreeze[] = [pauseStreams, closeSessions, endTasks, endMandates];

/** What explains the money that is in escrow, for the proof of the ledger. */
export const escrows: readonly EscrowExplanation[] = [streamEscrow, reserveHeld];

/** What expires and is removed, and clocks that are still to arrive: each is run once a minute, by itself. */
export const sweeps: readonly Sweep[] = [
  sweepDirectory,
  sweepEndedJwts,
  sweepLogins,
  sweepEvents,
  sweepPublications(listeners),
  sweepAgentEvents,
  sweepClaims,
  sweepLimitCounters,
  sweepHolds,
  sweepDecisions,
  sweepSpendMinutes,
  sweepQuotes,
  sweepPaymentRequests,
  sweepVerifications,
  sweepOperations,
  sweepRollups,
  sweepAccountRequests,
  sweepRequests,
  sweepGates,
  resumeClocks,
];

/** What ends the streams of the process before it ends itself. */
export const streamEnds: readonly ((platform: Platform) => Promise<void>)[] = [endStreams, endWorkspaceStreams];

/** What the process still has to write when it ends, after its last request. */
export const lastWrites: readonly ((platform: Platform) => Promise<void>)[] = [writeRefusals, writeRequests, writeDenials];

/** What the process keeps in memory and writes every few seconds. */
export const regularWrites: readonly ((platform: Platform) => Promise<void>)[] = [writeRequests, writeDenials];
