// On which side of a transfer an actor stands, and so what it sees and may do (CONTRACT.md 29 on 2). The payer keeps its own notes to
// itself; a hold is captured by the side that its maker named, and released by the other as well.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { Forbidden, type NextAction } from '../../platform/errors.js';
import { walletRef } from '../accounts/wallet-ref.js';

type Sided = Pick<Transfer, 'fromWalletId' | 'toWalletId' | 'fromAccountId' | 'agentId'>;

// Gap G-427: Only the payee is an agent whose wallet is paid and that does not spend; it cannot filter by what it is not shown.
/**
 * True where the actor sees all of a transfer: a tenant, a customer whose account pays it, the agent that spends or whose wallet pays. What
 * no account pays is its payee's own. It is known at once but for an agent that does not spend: what never changes about the paying wallet
 * is kept in the process.
 */
export function canSeePayerSide(ctx: Ctx, transfer: Sided): boolean | Promise<boolean> {
  const { type, agent, customer } = ctx.actor;
  if (type === 'api_key' || type === 'user' || type === 'member' || type === 'system' || transfer.fromAccountId === null) return true;
  if (customer !== undefined) return customer.accountIds.includes(transfer.fromAccountId);
  return agent !== undefined && isPayer(ctx, agent.id, transfer);
}

function isPayer(ctx: Ctx, agentId: string, { agentId: spender, fromWalletId }: Sided): boolean | Promise<boolean> {
  return spender === agentId || ownsWallet(ctx, agentId, fromWalletId);
}

async function ownsWallet(ctx: Ctx, agentId: string, walletId: string | null): Promise<boolean> {
  return walletId !== null && (await walletRef(ctx, walletId))?.agentId === agentId;
}

type Held = Sided & Pick<Transfer, 'id' | 'captureBy'>;

// Gap G-43: The tenant captures and cancels any hold; `capture_by` names the side that captures, and the payee may always release.
/** 403 for an agent that is not on the side which captures a hold. Holds of before are captured by either. */
export async function refuseCapture(ctx: Ctx, transfer: Held): Promise<void> {
  const { agent } = ctx.actor;
  const { captureBy } = transfer;
  if (agent === undefined || captureBy === null) return;
  const may = captureBy === 'payer' ? await isPayer(ctx, agent.id, transfer) : await ownsWallet(ctx, agent.id, transfer.toWalletId);
  if (may) return;
  const release = captureBy === 'payer' ? [wayTo('cancel', 'agent', transfer)] : [];
  throw new Forbidden(`Only its ${captureBy} or the tenant can capture this hold.`, {
    capture_by: captureBy,
    next_actions: [wayTo('capture', 'api_key', transfer), ...release],
  });
}

/** 403 for the agent that pays, where the payee captures: it was promised the money. The payee may always release it. */
export async function refuseRelease(ctx: Ctx, transfer: Held): Promise<void> {
  const { agent } = ctx.actor;
  if (agent === undefined || transfer.captureBy !== 'payee' || (await ownsWallet(ctx, agent.id, transfer.toWalletId))) return;
  throw new Forbidden('Its payee captures this hold: only the payee or the tenant can release it before it expires.', {
    capture_by: transfer.captureBy,
    next_actions: [wayTo('cancel', 'api_key', transfer)],
  });
}

function wayTo(rel: 'capture' | 'cancel', actor: NextAction['actor'], { id }: Held): NextAction {
  return { rel, actor, method: 'POST', path: `/v1/transfers/${id}/${rel}`, body: {} };
}

/** The sides of a transfer that an agent stands on, the paying one first. */
export async function sidesOf(ctx: Ctx, agentId: string, transfer: Sided): Promise<('payer' | 'payee')[]> {
  const [pays, isPaid] = await Promise.all([isPayer(ctx, agentId, transfer), ownsWallet(ctx, agentId, transfer.toWalletId)]);
  return [...(pays ? (['payer'] as const) : []), ...(isPaid ? (['payee'] as const) : [])];
}
