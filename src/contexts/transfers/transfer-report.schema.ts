// The GraphQL face of what finance takes out of the list of transfers, and of what a transfer is of.
import { z } from 'zod';
import { ValidationFailed } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs } from '../../platform/schema/builder.js';
import { printSubject } from '../../platform/schema/id.js';
import { TransferStatusEnum, transferFilters } from './transfer.input.js';
import { Transfer } from './transfer.schema.js';
import type { TransferDay, TransferSum } from './transfer-list.sql.js';
import { type TransferCsv, type TransferTotals, transferCsv, transferDays, transferTotals } from './transfer-report.js';

const Subject = builder.objectRef<{ type: string; id: string }>('TransferSubject').implement({
  description: 'The thing whose money a transfer is.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The name of its noun, such as payout, stream, refund, task or x402_payment.' }),
    id: t.string({ description: 'Its id, as its own endpoint prints it.', resolve: ({ type, id }) => printSubject(type, id) }),
  }),
});

builder.prismaObjectFields(Transfer, (t) => ({
  subject: t.field({
    type: Subject,
    nullable: true,
    wire: { shown: false },
    description: 'The thing whose money it is. Null for a transfer that stands for itself.',
    resolve: ({ subjectType: type, subjectId: id }) => (type === null || id === null ? null : { type, id }),
  }),
}));

const minor = (read: (sum: TransferSum) => string) => (sum: TransferSum) => formatMinor(BigInt(read(sum)), sum.currency);

const Sum = builder.objectRef<TransferSum>('TransferSum').implement({
  description: 'Totals of the transfers of one currency and status.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    status: t.expose('status', { type: TransferStatusEnum }),
    count: t.exposeInt('count', { description: 'How many transfers these are.' }),
    amount: t.field({
      type: 'Amount',
      description:
        'Of completed transfers what moved, as reports count it: of a hold what was captured, of what is put into a stream nothing. Of the others what was asked for.',
      resolve: minor(({ amount }) => amount),
    }),
    fees: t.field({ type: 'Amount', description: 'Our fees, which are part of the amounts.', resolve: minor(({ fees }) => fees) }),
    refunded: t.field({ type: 'Amount', description: 'What was refunded of them.', resolve: minor(({ refunded }) => refunded) }),
  }),
});

/** A currency for each of the five statuses; no workspace has as many. */
const mostSums = 1_000;

const Totals = builder.objectRef<TransferTotals>('TransferTotals').implement({
  description: 'Totals of chosen transfers.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many transfers were added up.' }),
    complete: t.exposeBoolean('complete', {
      description: 'False where there are more than the newest 50,000, which were added up: narrow the choice by time.',
    }),
    sums: t.field({
      type: [Sum],
      description: 'The total of each currency and status.',
      ...facts({ most: mostSums }),
      resolve: ({ sums }) => sums,
    }),
  }),
});

const Day = builder.objectRef<TransferDay>('TransferDay').implement({
  description: 'Totals of the completed transfers of one day and currency.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The UTC day on which they were asked for.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    count: t.exposeInt('count', { description: 'How many transfers these are.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What moved, as reports count it.',
      resolve: ({ amount, currency }) => formatMinor(BigInt(amount), currency),
    }),
  }),
});

/** Three months of days, in some twenty currencies. */
const mostDays = 2_000;
const mostDaysMs = 92 * 86_400_000;

const Csv = builder.objectRef<TransferCsv>('TransferCsv').implement({
  description: 'A part of a CSV file.',
  fields: (t) => ({
    csv: t.exposeString('csv', { description: 'Whole lines. The first part begins with the names of the columns.' }),
    rows: t.exposeInt('rows', { description: 'How many transfers are in this part.' }),
    nextCursor: t.exposeString('nextCursor', { nullable: true, description: 'Give it as `after` for the next part; null after the last.' }),
  }),
});

const mostCsvRows = 1_000;

const refusedSince = () => new ValidationFailed([{ path: ['since'], message: 'must be at most 92 days ago', rule: 'window' }]);

builder.queryFields((t) => ({
  transferTotals: t.field({
    type: Totals,
    description: 'Totals of the transfers that the filters choose, by currency and status. The newest 50,000 of them are added up.',
    authScopes: { audience: 'operator', scope: 'transfers:read' },
    args: { since: pageArgs(t).since, until: pageArgs(t).until, ...transferFilters },
    resolve: (_root, filter, ctx) => transferTotals(ctx, filter),
  }),
  transferDays: t.field({
    type: [Day],
    description: 'Totals of the completed transfers that the filters choose, by day and currency. The oldest day comes first.',
    authScopes: { audience: 'operator', scope: 'transfers:read' },
    args: {
      since: t.arg({ type: 'DateTime', description: 'Created at or after; at most 92 days ago.' }),
      until: pageArgs(t).until,
      ...transferFilters,
    },
    ...facts({ most: mostDays }),
    resolve: async (_root, filter, ctx) => {
      const oldest = ctx.clock.now().getTime() - mostDaysMs;
      if (filter.since.getTime() < oldest) throw refusedSince();
      return (await transferDays(ctx, filter)).slice(-mostDays);
    },
  }),
  transferCsv: t.field({
    type: Csv,
    description:
      'The transfers that the filters choose as CSV, newest first. Read it part by part: give `next_cursor` of a part as `after`.',
    authScopes: { audience: 'operator', scope: 'transfers:read' },
    args: {
      since: pageArgs(t).since,
      until: pageArgs(t).until,
      after: t.arg({ type: 'Cursor', required: false, description: 'Continue after this part.' }),
      limit: t.arg.int({
        required: false,
        defaultValue: mostCsvRows,
        description: 'Transfers of a part.',
        validate: z.int().min(1).max(mostCsvRows),
      }),
      ...transferFilters,
    },
    resolve: (_root, filter, ctx) => transferCsv(ctx, filter),
  }),
}));
