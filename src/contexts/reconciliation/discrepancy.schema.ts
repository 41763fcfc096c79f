// The GraphQL face of discrepancies.

import type { Discrepancy as DiscrepancyRow } from '../../generated/prisma/client.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import {
  DiscrepancyResolutionEnum,
  DiscrepancyStatusEnum,
  DiscrepancyTypeEnum,
  ResolveDiscrepancyInput,
  StatementDirectionEnum,
} from './discrepancy.input.js';
import { discrepancies, discrepancy, resolveDiscrepancy, visibleDiscrepancies } from './discrepancy.js';
import { deltaOf } from './events.js';
import { rest } from './rest.js';

const amountOf = ({ currency }: DiscrepancyRow, minor: bigint | null) => (minor === null ? null : formatMinor(minor, currency));

export const Discrepancy = builder.prismaObject('Discrepancy', {
  ...byId(rowsOf('discrepancy', visibleDiscrepancies)),
  description: 'Something on which the ledger and the statement of a rail do not agree. Later runs find the same one again.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DiscrepancyId' }),
    reportId: t.expose('reportId', { type: 'ReportId', description: 'The report that found it first.' }),
    rail: t.exposeString('rail', { description: 'The rail whose statement was compared.' }),
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
    reference: t.exposeString('reference', {
      nullable: true,
      description: 'The reference under which the money went; null where there is none.',
    }),
    payoutId: t.expose('payoutId', {
      type: 'PayoutId',
      nullable: true,
      description: 'The payout with that reference; null where there is none.',
    }),
    direction: t.expose('direction', { type: StatementDirectionEnum }),
    expectedAmount: t.field({
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description: 'What the ledger says, in `currency`; null where only the rail has it.',
      resolve: (row) => amountOf(row, row.expectedAmount),
    }),
    actualAmount: t.field({
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description: 'What the statement says, in `currency`; null where only the ledger has it.',
      resolve: (row) => amountOf(row, row.actualAmount),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    deltaCents: t.field({
      type: 'Cents',
      description: 'What the statement has more than the ledger: a whole number of hundredths of the currency, rounded half to even.',
      resolve: ({ expectedAmount: expected, actualAmount: actual, currency }) => deltaOf({ expected, actual, currency }),
    }),
    resolution: t.expose('resolution', {
      type: DiscrepancyResolutionEnum,
      nullable: true,
      description: 'What was done about it; null while nothing was.',
    }),
    note: t.exposeString('note', { nullable: true, description: 'Note of whoever resolved it; null where there is none.' }),
    adjustmentTransferId: t.expose('adjustmentTransferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that corrected it; null for other resolutions.',
    }),
    detectedAt: t.expose('detectedAt', { type: 'DateTime', description: 'When it was first found.' }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was resolved or cleared; null while it is open.',
    }),
  }),
});
const DiscrepancyPage = pageOf(Discrepancy, 'Discrepancy');

builder.queryFields((t) => ({
  discrepancy: t.field({
    route: rest(
      'GET /v1/reconciliation/discrepancies/{id}',
      "Read a discrepancy between the ledger and a rail's statement. It shows both amounts and what was done about it.",
    ),
    type: Discrepancy,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'DiscrepancyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => discrepancy(ctx, id),
  }),
  discrepancies: t.field({
    route: rest(
      'GET /v1/reconciliation/discrepancies',
      'List discrepancies of all reports, newest first. Filter by report, status, type or rail.',
    ),
    type: DiscrepancyPage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: {
      ...pageArgs(t),
      reportId: t.arg({
        type: 'ReportId',
        required: false,
        description: 'Only those that this report found, for the first time or again.',
      }),
      status: t.arg({ type: DiscrepancyStatusEnum, required: false }),
      type: t.arg({ type: DiscrepancyTypeEnum, required: false }),
      rail: t.arg.string({ required: false }),
    },
    resolve: (_root, filter, ctx) => discrepancies(ctx, filter),
  }),
}));

builder.mutationField('resolveDiscrepancy', (t) =>
  t.field({
    route: rest(
      'POST /v1/reconciliation/discrepancies/{id}/resolve',
      'Record what was done about a discrepancy. `adjusted` takes the transfer that corrected it; `chasing` leaves it to be resolved later. One that is resolved or cleared is 409 `state_conflict`.',
    ),
    type: Discrepancy,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'DiscrepancyId' }), input: t.arg({ type: ResolveDiscrepancyInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => resolveDiscrepancy(ctx, { ...input, id }), discrepancy),
  }),
);
