// The GraphQL face of discrepancies.
import type { Discrepancy as DiscrepancyRow } from '../../generated/prisma/client.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import {
  DiscrepancyResolutionEnum,
  DiscrepancyStatusEnum,
  DiscrepancyTypeEnum,
  ResolveDiscrepancyInput,
  StatementDirectionEnum,
} from './discrepancy.input.js';
import { discrepancies, discrepancy, resolveDiscrepancy } from './discrepancy.js';
import { deltaOf } from './events.js';
import { rest } from './rest.js';

const amountOf = ({ currency }: DiscrepancyRow, minor: bigint | null) => (minor === null ? null : formatMinor(minor, currency));

export const Discrepancy = builder.prismaObject('Discrepancy', {
  description: 'Something that the ledger and the statement of a rail do not agree on, however many runs find it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DiscrepancyId' }),
    reportId: t.expose('reportId', { type: 'ReportId', description: 'The report that found it first.' }),
    rail: t.exposeString('rail'),
    type: t.expose('type', { type: DiscrepancyTypeEnum }),
    status: t.expose('status', { type: DiscrepancyStatusEnum }),
    ledgerEntryId: t.expose('ledgerEntryId', {
      wire: { orNull: true },
      type: 'LedgerTransactionId',
      nullable: true,
      description: 'The ledger transaction; null where only the rail has it.',
    }),
    railEntryId: t.expose('railEntryId', {
      wire: { orNull: true },
      type: 'RailEntryId',
      nullable: true,
      description: 'The line of the statement; null where only the ledger has it.',
    }),
    reference: t.exposeString('reference', { nullable: true }),
    payoutId: t.expose('payoutId', { type: 'PayoutId', nullable: true, description: 'The payout that went under the reference.' }),
    direction: t.expose('direction', { type: StatementDirectionEnum }),
    expectedAmount: t.field({
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description: 'What the ledger says.',
      resolve: (row) => amountOf(row, row.expectedAmount),
    }),
    actualAmount: t.field({
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description: 'What the statement says.',
      resolve: (row) => amountOf(row, row.actualAmount),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    deltaCents: t.field({
      type: 'Cents',
      description: 'Hundredths of the currency that the statement has more than the ledger, rounded half to even.',
      resolve: ({ expectedAmount: expected, actualAmount: actual, currency }) => deltaOf({ expected, actual, currency }),
    }),
    resolution: t.expose('resolution', { type: DiscrepancyResolutionEnum, nullable: true }),
    note: t.exposeString('note', { nullable: true }),
    adjustmentTransferId: t.expose('adjustmentTransferId', { type: 'TransferId', nullable: true }),
    detectedAt: t.expose('detectedAt', { type: 'DateTime' }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true, description: 'When it was resolved or cleared.' }),
  }),
});
const DiscrepancyPage = pageOf(Discrepancy, 'Discrepancy');

builder.queryFields((t) => ({
  discrepancy: t.field({
    route: rest('GET /v1/reconciliation/discrepancies/{id}', 'Read a discrepancy.'),
    type: Discrepancy,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'DiscrepancyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => discrepancy(ctx, id),
  }),
  discrepancies: t.field({
    route: rest('GET /v1/reconciliation/discrepancies', 'List discrepancies, by default of all reports.'),
    type: DiscrepancyPage,
    authScopes: { audience: 'operator' },
    args: {
      ...pageArgs(t),
      reportId: t.arg({ type: 'ReportId', required: false, description: 'Those that this report has found, for the first time or again.' }),
      status: t.arg({ type: DiscrepancyStatusEnum, required: false }),
      type: t.arg({ type: DiscrepancyTypeEnum, required: false }),
      rail: t.arg.string({ required: false }),
    },
    resolve: (_root, filter, ctx) => discrepancies(ctx, filter),
  }),
}));

builder.mutationField('resolveDiscrepancy', (t) =>
  t.field({
    route: rest('POST /v1/reconciliation/discrepancies/{id}/resolve', 'Say what was done about a discrepancy.'),
    type: Discrepancy,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'DiscrepancyId' }), input: t.arg({ type: ResolveDiscrepancyInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => resolveDiscrepancy(ctx, { ...input, id }), discrepancy),
  }),
);
