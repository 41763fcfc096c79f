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

const StatusEnum = builder.enumType(CardChargeStatus, { name: 'CardTransactionStatus' });

const CardTransactionType = builder.objectRef<CardTransaction>('CardTransaction').implement({
  description: 'What was paid with a vaulted card.',
  fields: (t) => ({
    id: t.field({ type: 'CardChargeId', resolve: ({ charge }) => charge.id }),
    cardId: t.field({ type: 'VaultedCardId', resolve: ({ charge }) => charge.cardId }),
    transferId: t.field({ type: 'TransferId', resolve: ({ charge }) => charge.transferId }),
    merchantId: t.field({ type: 'MerchantId', resolve: ({ charge }) => charge.merchantId }),
    agentId: t.field({ type: 'AgentUuid', nullable: true, resolve: ({ charge }) => charge.agentId }),
    status: t.field({ type: StatusEnum, resolve: ({ charge }) => charge.status }),
    amount: t.field({ type: 'Amount', resolve: ({ charge }) => formatMinor(charge.amount, charge.currency) }),
    refundedAmount: t.field({
      type: 'Amount',
      description: 'What came back of it.',
      resolve: ({ charge, transfer }) => formatMinor(transfer.refundedAmount, charge.currency),
    }),
    currency: t.field({ type: 'Currency', resolve: ({ charge }) => charge.currency }),
    errorCode: t.string({ nullable: true, description: 'Why it has failed, or came back.', resolve: ({ charge }) => charge.errorCode }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ charge }) => charge.createdAt }),
    completedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ charge }) => charge.completedAt }),
  }),
});
const CardTransactionPage = pageOf(CardTransactionType, 'CardTransaction');

builder.queryField('cardTransactions', (t) =>
  t.field({
    route: rest('GET /v1/cards/vault/{id}/transactions', 'List what was paid with a vaulted card.', { names: { cardId: 'id' } }),
    type: CardTransactionPage,
    args: { ...pageArgs(t), cardId: t.arg({ type: 'VaultedCardId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, filter, ctx) => cardTransactions(ctx, filter),
  }),
);

builder.mutationField('setCardLimits', (t) =>
  t.field({
    route: rest('POST /v1/cards/vault/{id}/limits', 'Set what may be spent with a vaulted card. Limits that are left out are taken away.'),
    type: VaultedCard,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'VaultedCardId' }), input: t.arg({ type: CardLimitsInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => setCardLimits(ctx, id, input), vaultedCard),
  }),
);
