// A payment by x402: who paid what for a call, and whether its proof was used up (CONTRACT.md 9). On the ledger network it has a transfer
// from the beginning, whose id is its own; from a chain it has one when the money has come.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { EventRow } from '../../../events/event.js';
import type { Prisma, Protocol, Transfer, X402Payment, X402PaymentStatus } from '../../../generated/prisma/client.js';
import type { OpenOn } from '../../../manifest/noun.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import type { Lifecycle } from '../../../platform/lifecycle.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';
import { event } from '../events.js';

/** The name of what a payment is by its protocol: one by MPP is settled as one of x402 is. */
export function subjectTypeOf(protocol: Protocol): 'x402_payment' | 'mpp_payment' {
  return protocol === 'mpp' ? 'mpp_payment' : 'x402_payment';
}

/** A payment fails with its transfer, or when its chain refuses it. A settled one fails where its block is in the chain no more. */
export const x402PaymentLifecycle: Lifecycle<X402PaymentStatus> = {
  noun: 'payment',
  path: '/v1/x402/payments/{id}',
  steps: { pending: ['settled', 'failed'], settled: ['failed'], failed: [] },
  requests: [{ to: 'settled', rel: 'consume', actor: 'any', method: 'POST', path: '/consume' }],
};

/** Gap G-301: A proof is valid for an hour of workspace time after the payment is settled. */
export const proofSeconds = 3_600;

/** An agent sees the payments that it makes, and those that its wallets get. */
export const visiblePayments = new Visibility<Prisma.X402PaymentWhereInput>({
  scope: 'x402:read',
  agent: ({ id }) => ({ OR: [{ agentId: id }, { payeeAgentId: id }] }),
});

/** The payment, or 404. */
export async function payment(ctx: Ctx, id: string): Promise<X402Payment> {
  const found = await ctx.db.x402Payment.findFirst({ where: { AND: [{ id }, visiblePayments.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Payments, newest first. */
export const payments = listOf('x402Payment', { visible: visiblePayments });

/** Money that is on its way from a chain to one of the wallets: it keeps a wallet from being closed. Held transfers are told as such. */
export async function openPayments(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.x402Payment.findMany({
    where: { walletId: { in: [...walletIds] }, status: { not: 'failed' }, transferId: null },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true },
  });
  return open.map((row) => {
    const id = printId('x402Payment', row.id);
    return { type: 'x402_payment', id, ends: { rel: 'payment', actor: 'any', method: 'GET', path: `/v1/x402/payments/${id}` } };
  });
}

// Gap G-300: `tx_hash` on the ledger network is the SHA-256 of the canonical JSON of what the transfer moved.
/** The hash of the ledger transaction that settles a payment: SHA-256 of the canonical JSON of what it moved. */
export function settlementHash(transfer: Transfer): string {
  const { id, fromWalletId, toWalletId, amount, capturedAmount, currency, completedAt } = transfer;
  const moved = formatMinor(capturedAmount ?? amount, currency);
  const facts = { transfer_id: id, from: fromWalletId, to: toWalletId, amount: moved, currency, at: completedAt?.toISOString() ?? null };
  return `0x${createHash('sha256')
    .update(canonicalize(facts) ?? '')
    .digest('hex')}`;
}

/** What is told of a payment that is settled. */
export function completedEvent(ctx: Pick<Ctx, 'clock' | 'traceId' | 'trace' | 'span'>, row: X402Payment): EventRow {
  const { id, endpointId, amount, currency, payerWallet, proof, txHash, settledAt, agentId } = row;
  const data = {
    payment_id: printId('x402Payment', id),
    endpoint_id: endpointId === null ? null : printId('x402Endpoint', endpointId),
    amount: formatMinor(amount, currency),
    currency,
    payer_wallet: payerWallet.startsWith('0x') ? payerWallet : printId('wallet', payerWallet),
    proof: proof ?? '',
    tx_hash: txHash ?? '',
  };
  return event(ctx, 'x402.payment.completed', data, { at: settledAt ?? row.createdAt, objectId: id, agentId });
}
