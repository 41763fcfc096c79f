// The GraphQL face of what vaulted cards may pay, and of what was paid with them.
import { CardChargeStatus } from '../../../generated/prisma/enums.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { type CardTransaction, cardTransactions } from '../charge/card-transaction.js';
import { rest } from '../rest.js';
import { vaultedCard } from './card.js';
import { VaultedCard } from './card.schema.js';
import { CardLimitsInput } from './card-limit.input.js';
import { setCardLimits } from './card-limit.js';

const StatusEnum = builder.enumType(CardChargeStatus, {
  name: 'CardTransactionStatus',
  description: '`pending`: not confirmed by the processor. `paid` and `failed`: final.',
});

const CardTransactionType = builder.objectRef<CardTransaction>('CardTransaction').implement({
  description: 'A payment with a vaulted card.',
  fields: (t) => ({
    id: t.field({ type: 'CardChargeId', resolve: ({ charge }) => charge.id }),
    cardId: t.field({ type: 'VaultedCardId', description: 'The card.', resolve: ({ charge }) => charge.cardId }),
    transferId: t.field({
      type: 'TransferId',
      description: 'The transfer that credits the merchant.',
      resolve: ({ charge }) => charge.transferId,
    }),
    merchantId: t.field({ type: 'MerchantId', description: 'The merchant that is paid.', resolve: ({ charge }) => charge.merchantId }),
    agentId: t.field({
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that pays; null where none does.',
      resolve: ({ charge }) => charge.agentId,
    }),
    status: t.field({ type: StatusEnum, resolve: ({ charge }) => charge.status }),
    amount: t.field({
      type: 'Amount',
      description: 'What is charged, in `currency`.',
      resolve: ({ charge }) => formatMinor(charge.amount, charge.currency),
    }),
    refundedAmount: t.field({
      type: 'Amount',
      description: 'What refunds have given back, in `currency`.',
      resolve: ({ charge, transfer }) => formatMinor(transfer.refundedAmount, charge.currency),
    }),
    currency: t.field({ type: 'Currency', resolve: ({ charge }) => charge.currency }),
    errorCode: t.string({
      nullable: true,
      description: 'Why it failed or came back, as a word for programs; null for others.',
      resolve: ({ charge }) => charge.errorCode,
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ charge }) => charge.createdAt }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was paid or failed; null before.',
      resolve: ({ charge }) => charge.completedAt,
    }),
  }),
});
const CardTransactionPage = pageOf(CardTransactionType, 'CardTransaction');

builder.queryField('cardTransactions', (t) =>
  t.field({
    route: rest(
      'GET /v1/cards/vault/{id}/transactions',
      'List the payments with a vaulted card, newest first. An agent sees those that it made itself.',
      { names: { cardId: 'id' } },
    ),
    type: CardTransactionPage,
    authScopes: { audience: 'any', scope: 'cards:read' },
    args: { ...pageArgs(t), cardId: t.arg({ type: 'VaultedCardId', description: 'The vaulted card.' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, filter, ctx) => cardTransactions(ctx, filter),
  }),
);

builder.mutationField('setCardLimits', (t) =>
  t.field({
    route: rest(
      'POST /v1/cards/vault/{id}/limits',
      'Set what may be spent with a vaulted card. All limits are replaced: one that is left out is removed. What was paid before in the same currency counts on.',
    ),
    type: VaultedCard,
    authScopes: { audience: 'operator', scope: 'cards:write' },
    args: { id: t.arg({ type: 'VaultedCardId' }), input: t.arg({ type: CardLimitsInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => setCardLimits(ctx, id, input), vaultedCard),
  }),
);
