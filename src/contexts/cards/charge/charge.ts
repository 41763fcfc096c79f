// A charge: a payment by card to a merchant's wallet, as an order of the processor's rail (CONTRACT.md 8, 12). Its transfer
// is pending until the processor has paid, and moves nothing before.
import type { CardCharge, CardChargeStatus } from '../../../generated/prisma/client.js';
import type { OpenOn } from '../../../manifest/noun.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { Lifecycle } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { chargeSubject } from './charge-subject.js';

/** Nobody calls one off that its processor has. It is seen in its transfer. */
export const cardChargeLifecycle: Lifecycle<CardChargeStatus> = {
  noun: 'card charge',
  path: '/v1/transfers/{id}',
  steps: { pending: ['paid', 'failed'], paid: [], failed: [] },
  requests: [],
};

/** A charge under its lock, and before it what it pays for. */
export async function lockCharge(ctx: Ctx, tx: Tx, id: string): Promise<CardCharge> {
  const { subjectType, subjectId } = await tx.cardCharge.findFirstOrThrow({
    where: { id },
    select: { subjectType: true, subjectId: true },
  });
  await chargeSubject(ctx, subjectType).lock(tx, subjectId);
  return lockRow(tx.cardCharge, id);
}

/** Charges whose money is on its way to one of the wallets: they keep a wallet from being closed. */
export async function openCharges(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.cardCharge.findMany({
    where: { walletId: { in: [...walletIds] }, status: 'pending' },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true, transferId: true },
  });
  return open.map(({ id, transferId }) => ({
    type: 'card_charge',
    id: printId('cardCharge', id),
    ends: { rel: 'transfer', actor: 'any', method: 'GET', path: `/v1/transfers/${transferId}` },
  }));
}
