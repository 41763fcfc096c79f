// The GraphQL face of vaulted cards. Agents read those that they may pay with; the token is shown to nobody.

import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { CardNumberRefused } from '../errors.js';
import { rest } from '../rest.js';
import { type BillingAddressInput, CreateVaultedCardInput } from './card.input.js';
import { cardStatuses, createVaultedCard, deleteVaultedCard, isCardExpired, vaultedCard, vaultedCards, visibleCards } from './card.js';
import { type CardLimits, cardLimits } from './card-limit.js';

const VaultedCardStatus = builder.enumType('VaultedCardStatus', {
  description: '`active`: can pay. `expired`: its month of expiry is over.',
  values: cardStatuses,
});

const BillingAddressType = builder.objectRef<BillingAddressInput>('BillingAddress').implement({
  description: 'The billing address of a card.',
  fields: (t) => ({
    line1: t.exposeString('line1', { description: 'Street and number.' }),
    line2: t.string({
      nullable: true,
      description: 'Second line of the address; null where there is none.',
      resolve: ({ line2 }) => line2 ?? null,
    }),
    city: t.exposeString('city', { description: 'City.' }),
    state: t.string({ nullable: true, description: 'State or region; null where none was given.', resolve: ({ state }) => state ?? null }),
    postalCode: t.exposeString('postalCode', { description: 'Postal code.' }),
    country: t.exposeString('country', { description: 'Country, as an ISO 3166-1 alpha-2 code such as US.' }),
  }),
});

const CardLimitsType = builder.objectRef<CardLimits>('CardLimits').implement({
  description: 'What may be spent with a card. A limit that is null does not exist.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    perTx: t.expose('perTx', { type: 'Amount', nullable: true, description: 'The most of one payment; null for no limit.' }),
    daily: t.expose('daily', { type: 'Amount', nullable: true, description: 'The most per UTC day; null for no limit.' }),
    monthly: t.expose('monthly', { type: 'Amount', nullable: true, description: 'The most per UTC month; null for no limit.' }),
    allowedCategories: t.exposeStringList('allowedCategories', {
      description: 'Only merchants of these categories are paid; empty for any.',
    }),
  }),
});

export const VaultedCard = builder.prismaObject('VaultedCard', {
  ...byId(rowsOf('vaultedCard', visibleCards, { where: { deletedAt: null } })),
  description: 'A card that an account or one of its agents pays with. The processor keeps its number; its token is stored encrypted.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'VaultedCardId' }),
    accountId: t.expose('accountId', { type: 'AccountId', description: 'The account that pays with it.' }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The one agent that may pay with it; null for any agent of the account.',
    }),
    processor: t.exposeString('processor', { description: 'The processor that has the card.' }),
    cardLastFour: t.exposeString('cardLastFour', { description: 'The last four digits of the card number.' }),
    cardBrand: t.exposeString('cardBrand', { description: 'visa, mastercard, amex, discover, diners, jcb, unionpay or other.' }),
    expiryMonth: t.exposeInt('expiryMonth', { description: 'Month of expiry, 1 to 12; the card is valid to the end of it, in UTC.' }),
    expiryYear: t.exposeInt('expiryYear', { description: 'Year of expiry, four digits.' }),
    label: t.exposeString('label', { nullable: true, description: 'Your own name for the card; null where none was given.' }),
    billingAddress: t.field({
      type: BillingAddressType,
      nullable: true,
      description: 'Billing address of the card; null where none was given.',
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
      description: 'What may be spent with it; null for no limits.',
      select: { agentId: true, limitCurrency: true, limitPerTx: true, limitDaily: true, limitMonthly: true, limitCategories: true },
      resolve: (row) => cardLimits(row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const VaultedCardPage = pageOf(VaultedCard, 'VaultedCard');

const DeletedVaultedCard = builder.objectRef<{ id: string }>('DeletedVaultedCard').implement({
  description: 'A vaulted card that was deleted.',
  fields: (t) => ({ id: t.expose('id', { type: 'VaultedCardId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  vaultedCard: t.prismaField({
    route: rest(
      'GET /v1/cards/vault/{id}',
      'Read a vaulted card with its limits. Its number is never known here, and its token is never shown.',
    ),
    type: VaultedCard,
    authScopes: { audience: 'any', scope: 'cards:read' },
    args: { id: t.arg({ type: 'VaultedCardId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => vaultedCard(ctx, id, query),
  }),
  vaultedCards: t.field({
    route: rest(
      'GET /v1/cards/vault',
      'List vaulted cards, newest first. Filter by account or agent; an agent sees its own and those of its account that any agent may use.',
    ),
    type: VaultedCardPage,
    authScopes: { audience: 'any', scope: 'cards:read' },
    ...listed(t, vaultedCards, {
      accountId: t.arg({ type: 'AccountId', required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createVaultedCard: t.field({
    route: rest(
      'POST /v1/cards/vault',
      'Vault a card by the token of its processor. A card number in any member is 422, so that none is ever stored; an expired card or an unknown processor is 400.',
      { status: 201 },
    ),
    type: VaultedCard,
    authScopes: { audience: 'operator', scope: 'cards:write' },
    args: { input: t.arg({ type: CreateVaultedCardInput }) },
    ...facts({ errors: [NotFound, StateConflict, CardNumberRefused] }),
    resolve: once((ctx, { input }) => createVaultedCard(ctx, input), vaultedCard),
  }),
  deleteVaultedCard: t.field({
    route: rest(
      'DELETE /v1/cards/vault/{id}',
      'Delete a vaulted card and its token for good. It pays nothing any more; payments under way go on.',
    ),
    type: DeletedVaultedCard,
    authScopes: { audience: 'operator', scope: 'cards:write' },
    args: { id: t.arg({ type: 'VaultedCardId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteVaultedCard(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
