// Types that SPEC.md announces and does not emit ("Event types announced but not emitted"): in the catalog, so that a receiver
// may subscribe before they come. The specification names families; the types and their data are ours (Gap G-62).
import { z } from 'zod';
import { currency, id, money, time } from './event-data.js';

const uuid = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const at = '2026-03-02T10:00:00.000Z';
const of = (prefix: string) => `${prefix}_${uuid}`;

interface Announced {
  schema: z.ZodType;
  example: Record<string, unknown>;
  subject: string;
}

const stream: Announced = {
  subject: 'stream_id',
  schema: z.strictObject({ stream_id: id('str'), status: z.string(), currency, flow_rate: money, runway_seconds: z.int().nullable() }),
  example: { stream_id: of('str'), status: 'active', currency: 'USDC', flow_rate: '0.0001', runway_seconds: 86400 },
};
const approval: Announced = {
  subject: 'approval_id',
  schema: z.strictObject({ approval_id: id('apr'), status: z.string(), amount: money, currency, agent_id: id('agt').nullable() }),
  example: { approval_id: of('apr'), status: 'pending', amount: '250.00', currency: 'USD', agent_id: of('agt') },
};
const dispute: Announced = {
  subject: 'dispute_id',
  schema: z.strictObject({ dispute_id: id('dsp'), transfer_id: id('tx'), status: z.string(), reason: z.string() }),
  example: { dispute_id: of('dsp'), transfer_id: of('tx'), status: 'open', reason: 'service_not_received' },
};
const refund: Announced = {
  subject: 'refund_id',
  schema: z.strictObject({ refund_id: id('rf'), original_transfer_id: id('tx'), status: z.string(), amount: money, currency }),
  example: { refund_id: of('rf'), original_transfer_id: of('tx'), status: 'completed', amount: '10.00', currency: 'USD' },
};
const agent: Announced = {
  subject: 'agent_id',
  schema: z.strictObject({ agent_id: id('agt'), name: z.string(), status: z.string(), parent_account_id: id('acc') }),
  example: { agent_id: of('agt'), name: 'Buyer', status: 'active', parent_account_id: of('acc') },
};
const quote: Announced = {
  subject: 'quote_id',
  schema: z.strictObject({ quote_id: id('qt'), status: z.string(), from_currency: currency, to_currency: currency, rate: money }),
  example: { quote_id: of('qt'), status: 'open', from_currency: 'USD', to_currency: 'EUR', rate: '0.92' },
};
const session: Announced = {
  subject: 'session_id',
  schema: z.strictObject({ session_id: id('mses'), agent_id: id('agt'), status: z.string(), currency, accepted_cumulative: money }),
  example: { session_id: of('mses'), agent_id: of('agt'), status: 'open', currency: 'USDC', accepted_cumulative: '0.50' },
};
const task: Announced = {
  subject: 'task_id',
  schema: z.strictObject({ task_id: id('task'), from_agent_id: id('agt'), to_agent_id: id('agt').nullable(), status: z.string() }),
  example: { task_id: of('task'), from_agent_id: of('agt'), to_agent_id: of('agt'), status: 'pending' },
};
const funding: Announced = {
  subject: 'funding_transaction_id',
  schema: z.strictObject({ funding_transaction_id: id('fnd'), wallet_id: id('wal'), status: z.string(), amount: money, currency }),
  example: { funding_transaction_id: of('fnd'), wallet_id: of('wal'), status: 'completed', amount: '500.00', currency: 'USD' },
};
const treasury: Announced = {
  subject: 'alert_id',
  schema: z.strictObject({ alert_id: id('alr'), runway_days: z.int(), threshold_days: z.int(), depletion_date: time }),
  example: { alert_id: of('alr'), runway_days: 12, threshold_days: 30, depletion_date: at },
};
const cardDispute: Announced = {
  subject: 'dispute_id',
  schema: z.strictObject({ dispute_id: id('dsp'), network: z.string(), status: z.string(), amount: money, currency }),
  example: { dispute_id: of('dsp'), network: 'visa', status: 'open', amount: '42.00', currency: 'USD' },
};

/** Each type with what it would tell. */
export const announced = {
  'stream.created': { ...stream, description: 'stream opened' },
  'stream.paused': { ...stream, description: 'stream paused' },
  'stream.resumed': { ...stream, description: 'stream resumed' },
  'stream.topped_up': { ...stream, description: 'money added to a stream' },
  'stream.withdrawn': { ...stream, description: 'accrued money withdrawn' },
  'stream.cancelled': { ...stream, description: 'stream cancelled' },
  'stream.completed': { ...stream, description: 'stream reached its end' },
  'stream.exhausted': { ...stream, description: 'deposit of a stream used up' },
  'approval.requested': { ...approval, description: 'spend waits for a decision' },
  'approval.approved': { ...approval, description: 'spend approved' },
  'approval.rejected': { ...approval, description: 'spend rejected' },
  'approval.expired': { ...approval, description: 'nobody decided in time' },
  'dispute.created': { ...dispute, description: 'dispute filed' },
  'dispute.responded': { ...dispute, description: 'other side answered' },
  'dispute.escalated': { ...dispute, description: 'dispute escalated' },
  'dispute.resolved': { ...dispute, description: 'dispute decided' },
  'refund.created': { ...refund, description: 'refund requested' },
  'refund.completed': { ...refund, description: 'refund paid back; today told by transfer.refunded' },
  'refund.failed': { ...refund, description: 'refund could not be paid' },
  'agent.created': { ...agent, description: 'agent enrolled' },
  'agent.updated': { ...agent, description: 'agent modified' },
  'agent.frozen': { ...agent, description: 'agent may no longer spend' },
  'agent.suspended': { ...agent, description: 'agent may no longer authenticate' },
  'agent.activated': { ...agent, description: 'agent works again' },
  'agent.revoked': { ...agent, description: 'agent ended for good' },
  'quote.created': { ...quote, description: 'exchange rate quoted' },
  'quote.expired': { ...quote, description: 'quote ran out unused' },
  'mpp.session.opened': { ...session, description: 'payment session opened' },
  'mpp.session.closed': { ...session, description: 'payment session settled and closed' },
  'mpp.voucher.accepted': { ...session, description: 'voucher counted' },
  'a2a.task.created': { ...task, description: 'task given' },
  'a2a.task.claimed': { ...task, description: 'task taken by an agent' },
  'a2a.task.completed': { ...task, description: 'task delivered' },
  'a2a.task.failed': { ...task, description: 'task failed' },
  'a2a.task.cancelled': { ...task, description: 'task called off' },
  'funding.transaction.created': { ...funding, description: 'funding started' },
  'funding.transaction.completed': { ...funding, description: 'funding arrived' },
  'funding.transaction.failed': { ...funding, description: 'funding refused' },
  'treasury.alert.low_runway': { ...treasury, description: 'money will not last as long as wished' },
  'card.dispute.created': { ...cardDispute, description: 'card holder disputed a payment' },
  'card.dispute.resolved': { ...cardDispute, description: 'card dispute decided' },
} as const satisfies Record<string, Announced & { description: string }>;
