// The card networks of the sandbox, with books of their own: what they approve and decline is decided by rules that a test can choose
// (docs/rails.md). They answer in workspace time, and only when they are asked.
import { hash } from 'node:crypto';
import type { NetworkMessage } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Connection } from '../../../platform/connection.js';
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { scaleOf } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { isUniqueViolation } from '../../../platform/postgres/failure.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { consumeFaults } from '../../settlement/rail/rail-fault.js';
import { type CardNetworkName, cardNetworks } from '../../transfers/rail.js';
import type { CardNetwork, NetworkAnswer, NetworkOrder } from './network.js';

/** From a message to its answer, and with the fault `latency`. */
const latencySeconds = 2;
const slowSeconds = 20;

/** What a network decides about a message. */
interface Outcome {
  outcome: 'approved' | 'declined' | 'failed';
  code: string | null;
  latencySeconds?: number;
  /** Its answer gets lost: it has to be asked. */
  isSilent?: boolean;
}

const approved: Outcome = { outcome: 'approved', code: null };
const declined = (code: string): Outcome => ({ outcome: 'declined', code, latencySeconds: 0 });

/** Gap G-239: `payload.token` decides the result; without one, up to 10,000 units (1,000,000 yen) are approved. */
const outcomes: Readonly<Record<string, Outcome>> = {
  tok_ok: { ...approved, latencySeconds: 0 },
  tok_slow: { ...approved, latencySeconds: 3_600 },
  tok_declined: declined('card_declined'),
  tok_insufficient_funds: declined('insufficient_funds'),
  tok_expired: declined('expired_card'),
  tok_network_error: { outcome: 'failed', code: 'network_error', latencySeconds: 0 },
  tok_lost_ack: { ...approved, isSilent: true },
};

const reasons: Readonly<Record<string, string>> = {
  card_declined: 'The issuer declined the payment.',
  insufficient_funds: 'The card has insufficient funds.',
  expired_card: 'The card has expired.',
  amount_limit: 'The amount is more than the network takes at once.',
  network_error: 'The network could not reach the issuer.',
  not_cancellable: 'There is no such authorization, or it has ended.',
  not_refundable: 'There is no such payment, or less of it is left to refund.',
};

/** The most that a network authorizes at once: so many units of money, or more of a currency that has no smaller unit. */
function isTooMuch({ amount, currency }: NetworkOrder): boolean {
  const scale = scaleOf(currency ?? '');
  return (amount ?? 0n) > (scale === 0 ? 1_000_000n : 10_000n * 10n ** BigInt(scale));
}

function authorized({ payload, ...order }: NetworkOrder): Outcome {
  const token = String(payload['token'] ?? '');
  if (Object.hasOwn(outcomes, token)) return outcomes[token] as Outcome;
  return isTooMuch({ ...order, payload }) ? declined('amount_limit') : approved;
}

/** Decides about a message, and changes the books of the authorization that it is about. */
async function decide(ctx: Ctx, tx: Tx, network: string, order: NetworkOrder): Promise<Outcome> {
  if (order.type === 'authorize') return authorized(order);
  const refusal = declined(order.type === 'cancel' ? 'not_cancellable' : 'not_refundable');
  const found = await tx.networkMessage.findFirst({ where: { network, reference: order.original ?? '' }, select: { id: true } });
  if (found === null) return refusal;
  const original = await lockRow(tx.networkMessage, found.id);
  const where = rowKey(ctx, original.id);
  if (original.outcome !== 'approved' || original.cancelledAt !== null) return refusal;
  if (order.type === 'cancel') {
    if (original.refunded > 0n) return refusal;
    await tx.networkMessage.update({ where, data: { cancelledAt: ctx.clock.now() } });
    return approved;
  }
  const refunded = original.refunded + (order.amount ?? 0n);
  if (original.answersAt > ctx.clock.now() || original.currency !== order.currency || refunded > (original.amount ?? 0n)) return refusal;
  await tx.networkMessage.update({ where, data: { refunded } });
  return approved;
}

/** Takes a message in, once for a reference. One that comes too late is not taken, and never will be. */
async function take(ctx: Ctx, network: CardNetworkName, order: NetworkOrder): Promise<NetworkAnswer> {
  const at = ctx.clock.now();
  if (at > order.expiresAt) return { state: 'missing' };
  const { type, reference, original, amount, currency, merchantRef } = order;
  try {
    const { row, isSilent } = await transact(
      ctx,
      async (tx) => {
        const faults = await consumeFaults(tx, network, { amount, destinationRef: merchantRef ?? '' });
        const decided = faults.includes('reject') ? declined('card_declined') : await decide(ctx, tx, network, order);
        const seconds = faults.includes('latency') ? slowSeconds : (decided.latencySeconds ?? latencySeconds);
        const row = await tx.networkMessage.create({
          data: {
            id: newId(at),
            network,
            reference,
            type,
            originalReference: original,
            amount,
            currency,
            outcome: decided.outcome,
            code: decided.code,
            answersAt: addSeconds(at, seconds),
            createdAt: at,
          },
        });
        return { row, isSilent: decided.isSilent === true || faults.includes('lost_ack') };
      },
      ({ row }) => row.id,
    );
    return isSilent ? { state: 'unknown' } : answerOf(ctx, row);
  } catch (error) {
    if (isUniqueViolation(error)) return lookUp(ctx, network, reference);
    throw error;
  }
}

async function lookUp(ctx: Ctx, network: CardNetworkName, reference: string): Promise<NetworkAnswer> {
  const row = await ctx.db.networkMessage.findFirst({ where: { network, reference } });
  return row === null ? { state: 'missing' } : answerOf(ctx, row);
}

function answerOf({ clock }: Ctx, { reference, outcome, code, answersAt, cancelledAt }: NetworkMessage): NetworkAnswer {
  if (cancelledAt !== null) return { state: 'cancelled' };
  if (answersAt > clock.now()) return { state: 'received', expectedAt: answersAt };
  if (outcome === 'approved') return { state: 'approved', code: hash('sha256', reference).slice(0, 6).toUpperCase() };
  const why = code ?? 'card_declined';
  return { state: outcome === 'failed' ? 'failed' : 'declined', code: why, reason: reasons[why] ?? why };
}

/** The simulated networks, with which every sandbox is enrolled. */
export const simulatedNetworks: readonly Connection<CardNetwork>[] = cardNetworks.map((name) => ({
  environment: 'test',
  name,
  provider: {
    name,
    submit: (ctx, order) => take(ctx, name, order),
    status: (ctx, reference) => lookUp(ctx, name, reference),
  },
}));
