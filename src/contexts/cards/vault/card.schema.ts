// The GraphQL face of vaulted cards. Agents read those that they may pay with; the token is shown to nobody.
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { CardNumberRefused } from '../errors.js';
import { rest } from '../rest.js';
import { type BillingAddressInput, CreateVaultedCardInput } from './card.input.js';
import { cardStatuses, createVaultedCard, deleteVaultedCard, isCardExpired, vaultedCard, vaultedCards } from './card.js';
import { type CardLimits, cardLimits } from './card-limit.js';

const VaultedCardStatus = builder.enumType('VaultedCardStatus', { values: cardStatuses });

const BillingAddressType = builder.objectRef<BillingAddressInput>('BillingAddress').implement({
  fields: (t) => ({
    line1: t.exposeString('line1'),
    line2: t.string({ nullable: true, resolve: ({ line2 }) => line2 ?? null }),
    city: t.exposeString('city'),
    state: t.string({ nullable: true, resolve: ({ state }) => state ?? null }),
    postalCode: t.exposeString('postalCode'),
    country: t.exposeString('country', { description: 'ISO 3166, two letters.' }),
  }),
});

const CardLimitsType = builder.objectRef<CardLimits>('CardLimits').implement({
  description: 'What may be spent with a card. Null: no such limit.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    perTx: t.expose('perTx', { type: 'Amount', nullable: true }),
    daily: t.expose('daily', { type: 'Amount', nullable: true, description: 'In a UTC day.' }),
    monthly: t.expose('monthly', { type: 'Amount', nullable: true, description: 'In a UTC month.' }),
    allowedCategories: t.exposeStringList('allowedCategories', { description: 'Empty: any.' }),
  }),
});

export const VaultedCard = builder.prismaObject('VaultedCard', {
  description: 'A card that an account or one of its agents pays with. The processor keeps its number; its token is encrypted.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'VaultedCardId' }),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The one agent that pays with it; null: any of the account.',
    }),
    processor: t.exposeString('processor'),
    cardLastFour: t.exposeString('cardLastFour'),
    cardBrand: t.exposeString('cardBrand'),
    expiryMonth: t.exposeInt('expiryMonth', { description: 'It is good to the end of this month, in UTC.' }),
    expiryYear: t.exposeInt('expiryYear'),
    label: t.exposeString('label', { nullable: true }),
    billingAddress: t.field({
      type: BillingAddressType,
      nullable: true,
      select: { billingAddress: true },
      resolve: (row) => row.billingAddress as unknown as BillingAddressInput | null,
    }),
    status: t.field({
      type: VaultedCardStatus,
      select: { expiryMonth: true, expiryYear: true },
      resolve: (row, _args, ctx) => (isCardExpired(ctx, row) ? ('expired' as const) : ('active' as const)),
    }),
    limits: t.field({
      type: CardLimitsType,
      nullable: true,
      select: { agentId: true, limitCurrency: true, limitPerTx: true, limitDaily: true, limitMonthly: true, limitCategories: true },
      resolve: (row) => cardLimits(row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const VaultedCardPage = pageOf(VaultedCard, 'VaultedCard');

const DeletedVaultedCard = builder.objectRef<{ id: string }>('DeletedVaultedCard').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'VaultedCardId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  vaultedCard: t.prismaField({
    route: rest('GET /v1/cards/vault/{id}', 'Read a vaulted card.'),
    type: VaultedCard,
    args: { id: t.arg({ type: 'VaultedCardId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => vaultedCard(ctx, id, query),
  }),
  vaultedCards: t.field({
    route: rest('GET /v1/cards/vault', 'List vaulted cards.'),
    type: VaultedCardPage,
    ...listed(t, vaultedCards, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createVaultedCard: t.field({
    route: rest('POST /v1/cards/vault', 'Vault a card by the token of its processor.', { status: 201 }),
    type: VaultedCard,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateVaultedCardInput }) },
    ...facts({ errors: [NotFound, StateConflict, CardNumberRefused] }),
    resolve: once((ctx, { input }) => createVaultedCard(ctx, input), vaultedCard),
  }),
  deleteVaultedCard: t.field({
    route: rest('DELETE /v1/cards/vault/{id}', 'Delete a vaulted card for good. It pays nothing any more.'),
    type: DeletedVaultedCard,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'VaultedCardId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteVaultedCard(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
