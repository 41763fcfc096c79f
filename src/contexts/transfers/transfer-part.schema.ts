// What a transfer is made of in GraphQL: its hold, who asked for it, why it failed, and what the payer keeps to itself.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { builder } from '../../platform/schema/builder.js';
import { actorId } from '../agents/me.js';
import { InitiatorTypeEnum } from '../spending/initiator.schema.js';
import { leavingOf } from './exchange.js';
import { canSeePayerSide } from './side.js';

/** How a field says whom it tells nothing. */
export const toPayee = 'for the payee alone';

export const TransferHold = builder.objectRef<Transfer>('TransferHold').implement({
  description: 'Money set aside for a transfer until it is captured.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', resolve: (row) => formatMinor(leavingOf(row), row.currency) }),
    capturedAmount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.capturedAmount ?? 0n, row.currency) }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: (row) => row.holdExpiresAt }),
  }),
});

/** What the payer keeps to itself: null for whoever sees the receiving side alone. */
export const ofPayer =
  <Value>(read: (row: Transfer) => Value) =>
  (row: Transfer, _args: object, ctx: Ctx): Value | null | Promise<Value | null> => {
    const sees = canSeePayerSide(ctx, row);
    const shown = (isShown: boolean) => (isShown ? read(row) : null);
    return typeof sees === 'boolean' ? shown(sees) : sees.then(shown);
  };

export const TransferInitiator = builder.objectRef<Transfer>('TransferInitiator').implement({
  description: 'Who asked for a transfer.',
  fields: (t) => ({
    type: t.expose('initiatedByType', { type: InitiatorTypeEnum }),
    id: t.string({
      nullable: true,
      description: `Null ${toPayee}.`,
      resolve: ofPayer(({ initiatedByType: type, initiatedById: id }) => actorId({ type, id })),
    }),
  }),
});

export const TransferFailure = builder.objectRef<Transfer>('TransferFailure').implement({
  description: 'Why it failed or was called off.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.failureCode ?? '' }),
    message: t.string({ resolve: (row) => row.failureMessage ?? '' }),
  }),
});
