// The GraphQL face of positions: what snapshots keep, and what is exposed now.
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { owed, positions } from './position.js';
import type { Position } from './position.sql.js';
import { rest } from './rest.js';

/** A field of one amount of a position. */
const amountOf =
  (amount: (position: Position) => bigint) =>
  (position: Position): string =>
    formatMinor(amount(position), position.currency);

export const TreasuryBalance = builder.objectRef<Position>('TreasuryBalance').implement({
  description: 'Where the money of one currency is. Liabilities, fees, clearing and world sum to zero.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    available: t.field({ type: 'Amount', description: 'In wallets, free to be spent.', resolve: amountOf((at) => at.available) }),
    held: t.field({ type: 'Amount', description: 'In wallets, set aside.', resolve: amountOf((at) => at.held) }),
    wrapped: t.field({ type: 'Amount', description: 'In wallets, ready to be streamed.', resolve: amountOf((at) => at.wrapped) }),
    streams: t.field({ type: 'Amount', description: 'In streams.', resolve: amountOf((at) => at.streams) }),
    escrows: t.field({ type: 'Amount', description: 'In escrow for tasks and payment sessions.', resolve: amountOf((at) => at.escrows) }),
    reserve: t.field({ type: 'Amount', description: 'Held back from settlement.', resolve: amountOf((at) => at.reserve) }),
    fees: t.field({ type: 'SignedAmount', description: 'Earned by the platform.', resolve: amountOf((at) => at.fees) }),
    clearing: t.field({
      type: 'SignedAmount',
      description: 'On its way over rails, or changed into another currency.',
      resolve: amountOf((at) => at.clearing),
    }),
    world: t.field({
      type: 'SignedAmount',
      description: 'Outside of the platform; negative by what came in from there.',
      resolve: amountOf((at) => at.world),
    }),
    liabilities: t.field({
      type: 'Amount',
      description: 'Owed to the owners of wallets: available, held, wrapped, streams, escrows and reserve together.',
      resolve: amountOf(owed),
    }),
  }),
});

export const TreasuryExposure = builder.objectRef<Position>('TreasuryExposure').implement({
  description: 'What is promised in one currency and not paid yet.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    activeMandates: t.field({
      type: 'Amount',
      description: 'What active mandates may still spend: this month, else today, else in one spend.',
      // Gap G-191: `active_mandates` is what each active mandate has left of its month, else its day, else its amount at a time.
      resolve: amountOf((at) => at.mandates),
    }),
    scheduled: t.field({ type: 'Amount', description: 'Transfers scheduled for later.', resolve: amountOf((at) => at.scheduled) }),
    streams: t.field({ type: 'Amount', description: 'Put into streams and not paid out.', resolve: amountOf((at) => at.streams) }),
    holds: t.field({ type: 'Amount', description: 'Set aside and not resolved.', resolve: amountOf((at) => at.holds) }),
    disputes: t.field({ type: 'Amount', description: 'Disputed and not resolved.', resolve: amountOf((at) => at.disputes) }),
    reserve: t.field({ type: 'Amount', description: 'Held back from settlement.', resolve: amountOf((at) => at.reserve) }),
  }),
});

builder.queryField('treasuryExposure', (t) =>
  t.field({
    route: rest(
      'GET /v1/treasury/exposure',
      'Show what is promised and not paid yet, by currency. Mandates, scheduled transfers, streams, holds, disputes and reserves are counted.',
      { name: 'getTreasuryExposure' },
    ),
    type: [TreasuryExposure],
    ...facts({ most: currencies.length }),
    authScopes: { audience: 'operator', scope: 'treasury:read' },
    resolve: (_root, _args, ctx) => positions(ctx),
  }),
);
