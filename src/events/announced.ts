// Types that SPEC.md announces and does not emit ("Event types announced but not emitted"): in the catalog, so that a receiver may
// subscribe before they come. The specification names families; the types and their data are ours.
import { z } from 'zod';
import { currency, exampleId, exampleTime, id, money, time } from './data.js';
import type { Definition } from './definition.js';
import { text } from './personal.js';

// Gap G-73: The names and data of announced types are ours; subscribing to them is allowed before anything emits them.
type Announced = Omit<Definition, 'description'>;

const stream: Announced = {
  subject: 'stream_id',
  data: z.strictObject({ stream_id: id('str'), status: z.string(), currency, flow_rate: money, runway_seconds: z.int().nullable() }),
  example: { stream_id: exampleId('str'), status: 'active', currency: 'USDC', flow_rate: '0.0001', runway_seconds: 86400 },
};
const dispute: Announced = {
  subject: 'dispute_id',
  data: z.strictObject({ dispute_id: id('dsp'), transfer_id: id('tx'), status: z.string(), reason: z.string() }),
  example: { dispute_id: exampleId('dsp'), transfer_id: exampleId('tx'), status: 'open', reason: 'service_not_received' },
};
const refund: Announced = {
  subject: 'refund_id',
  data: z.strictObject({ refund_id: id('rf'), original_transfer_id: id('tx'), status: z.string(), amount: money, currency }),
  example: { refund_id: exampleId('rf'), original_transfer_id: exampleId('tx'), status: 'completed', amount: '10.00', currency: 'USD' },
};
const agent: Announced = {
  subject: 'agent_id',
  data: z.strictObject({ agent_id: id('agt'), name: text, status: z.string(), parent_account_id: id('acc') }),
  example: { agent_id: exampleId('agt'), name: 'Buyer', status: 'active', parent_account_id: exampleId('acc') },
};
const quote: Announced = {
  subject: 'quote_id',
  data: z.strictObject({ quote_id: id('qt'), status: z.string(), from_currency: currency, to_currency: currency, rate: money }),
  example: { quote_id: exampleId('qt'), status: 'open', from_currency: 'USD', to_currency: 'EUR', rate: '0.92' },
};
const session: Announced = {
  subject: 'session_id',
  data: z.strictObject({ session_id: id('mses'), agent_id: id('agt'), status: z.string(), currency, accepted_cumulative: money }),
  example: { session_id: exampleId('mses'), agent_id: exampleId('agt'), status: 'open', currency: 'USDC', accepted_cumulative: '0.50' },
};
const task: Announced = {
  subject: 'task_id',
  data: z.strictObject({ task_id: id('task'), from_agent_id: id('agt'), to_agent_id: id('agt').nullable(), status: z.string() }),
  example: { task_id: exampleId('task'), from_agent_id: exampleId('agt'), to_agent_id: exampleId('agt'), status: 'pending' },
};
const funding: Announced = {
  subject: 'funding_transaction_id',
  data: z.strictObject({ funding_transaction_id: id('fnd'), wallet_id: id('wal'), status: z.string(), amount: money, currency }),
  example: {
    funding_transaction_id: exampleId('fnd'),
    wallet_id: exampleId('wal'),
    status: 'completed',
    amount: '500.00',
    currency: 'USD',
  },
};
const treasury: Announced = {
  subject: 'alert_id',
  data: z.strictObject({ alert_id: id('alr'), runway_days: z.int(), threshold_days: z.int(), depletion_date: time }),
  example: { alert_id: exampleId('alr'), runway_days: 12, threshold_days: 30, depletion_date: exampleTime },
};
const cardDispute: Announced = {
  subject: 'dispute_id',
  data: z.strictObject({ dispute_id: id('dsp'), network: z.string(), status: z.string(), amount: money, currency }),
  example: { dispute_id: exampleId('dsp'), network: 'visa', status: 'open', amount: '42.00', currency: 'USD' },
};

/** Each type by its name. */
export const announced: Readonly<Record<string, Definition>> = {
  'stream.created': { ...stream, description: 'stream opened' },
  'stream.paused': { ...stream, description: 'stream paused' },
  'stream.resumed': { ...stream, description: 'stream resumed' },
  'stream.topped_up': { ...stream, description: 'money added to a stream' },
  'stream.withdrawn': { ...stream, description: 'accrued money withdrawn' },
  'stream.cancelled': { ...stream, description: 'stream cancelled' },
  'stream.completed': { ...stream, description: 'stream reached its end' },
  'stream.exhausted': { ...stream, description: 'deposit of a stream used up' },
  'dispute.created': { ...dispute, description: 'dispute filed' },
  'dispute.responded': { ...dispute, description: 'other side answered' },
  'dispute.escalated': { ...dispute, description: 'dispute escalated' },
  'dispute.resolved': { ...dispute, description: 'dispute decided' },
  'refund.created': { ...refund, description: 'refund requested' },
  'refund.completed': { ...refund, description: 'refund paid back; transfer.refunded is emitted until then' },
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
};
