// What a transfer is made of in GraphQL: its hold, who asked for it, why it failed, and what the payer keeps to itself.
import type { Transfer } from '../../generated/prisma/client.js';
import { printActor, wireActorType } from '../../platform/actor.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { builder } from '../../platform/schema/builder.js';
import { InitiatorTypeEnum, memberName } from '../spending/initiator.schema.js';
import { leavingOf } from './exchange.js';
import { canSeePayerSide } from './side.js';

export const TransferHold = builder.objectRef<Transfer>('TransferHold').implement({
  description: 'Money set aside for a transfer until it is captured.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      description: 'What was set aside, in the currency of the transfer.',
      resolve: (row) => formatMinor(leavingOf(row), row.currency),
    }),
    capturedAmount: t.field({
      type: 'Amount',
      description: 'What of it was captured; 0.00 until then.',
      resolve: (row) => formatMinor(row.capturedAmount ?? 0n, row.currency),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the hold ends and the money goes back by itself; null where it does not expire.',
      resolve: (row) => row.holdExpiresAt,
    }),
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
  description: 'Who requested a transfer.',
  fields: (t) => ({
    type: t.field({ type: InitiatorTypeEnum, resolve: ({ initiatedByType }) => wireActorType(initiatedByType) }),
    id: t.string({
      nullable: true,
      description: "The identifier of who requested it; null for those who see only the payee's side.",
      resolve: ofPayer(({ initiatedByType: type, initiatedById: id }) => printActor(type, id)),
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the member who requested it; null where no member did, and for agents.',
      resolve: ({ initiatedByType: type, initiatedById: id }, _args, ctx) => memberName(ctx, type, id),
    }),
  }),
});

export const TransferFailure = builder.objectRef<Transfer>('TransferFailure').implement({
  description: 'Why a transfer failed or was cancelled.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.failureCode ?? '' }),
    message: t.string({ resolve: (row) => row.failureMessage ?? '' }),
  }),
});
