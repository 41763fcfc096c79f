// The GraphQL face of reconciliation runs and their reports.
import { z } from 'zod';
import type { ReconciliationReport as Row } from '../../generated/prisma/client.js';
import { ReportStatus } from '../../generated/prisma/enums.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { foundBy, mostShown } from './discrepancy.js';
import { Discrepancy } from './discrepancy.schema.js';
import { dayText } from './events.js';
import { report, reports, startRun } from './report.js';
import { rest } from './rest.js';

const ReportStatusEnum = builder.enumType(ReportStatus, { name: 'ReconciliationStatus' });

const ReportPeriod = builder.objectRef<Row>('ReconciliationPeriod').implement({
  description: 'Days in UTC, both included.',
  fields: (t) => ({
    from: t.field({ type: 'Date', resolve: ({ dateFrom }) => dayText(dateFrom) }),
    to: t.field({ type: 'Date', resolve: ({ dateTo }) => dayText(dateTo) }),
  }),
});

const ReportTotals = builder.objectRef<Row>('ReconciliationTotals').implement({
  description: 'Each line agrees with one of the other side, or is named in one discrepancy. They grow while the run goes on.',
  fields: (t) => ({
    ledgerEntries: t.int({ resolve: ({ matched, unmatchedLedger }) => matched + unmatchedLedger }),
    railEntries: t.int({ resolve: ({ matched, unmatchedRail }) => matched + unmatchedRail }),
    matched: t.exposeInt('matched', { description: 'Lines of either side that agree.' }),
    unmatchedLedger: t.exposeInt('unmatchedLedger'),
    unmatchedRail: t.exposeInt('unmatchedRail'),
    discrepancies: t.exposeInt('discrepancies'),
  }),
});

const Report = builder.prismaObject('ReconciliationReport', {
  description: 'One run over what the ledger and the statement of a rail have of a period.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ReportId' }),
    rail: t.exposeString('rail'),
    status: t.expose('status', { type: ReportStatusEnum }),
    period: t.field({ type: ReportPeriod, resolve: (row) => row }),
    totals: t.field({ type: ReportTotals, resolve: (row) => row }),
    discrepancies: t.field({
      type: [Discrepancy],
      description: 'The newest that it has found; `discrepancies` lists them all.',
      extensions: { visible: true, ...facts({ most: mostShown }).extensions },
      resolve: ({ id }, _args, ctx) => foundBy(ctx, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, whether it was completed or failed.',
    }),
  }),
});
const ReportPage = pageOf(Report, 'ReconciliationReport');

const RunInput = builder.inputType('ReconciliationRunInput', {
  fields: (t) => ({
    rail: t.string({ description: 'Such as ach or usdc-base.', validate: z.string().min(1).max(32), extensions: { example: 'ach' } }),
    dateFrom: t.field({ type: 'Date' }),
    dateTo: t.field({ type: 'Date', description: 'Included; at most 366 days in all.' }),
  }),
});

builder.queryFields((t) => ({
  reconciliationReport: t.field({
    route: rest('GET /v1/reconciliation/reports/{id}', 'Read a report, with the newest 100 of the discrepancies that it has found.', {
      also: ['discrepancies'],
    }),
    type: Report,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'ReportId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => report(ctx, id),
  }),
  reconciliationReports: t.field({
    route: rest('GET /v1/reconciliation/reports', 'List reconciliation reports.'),
    type: ReportPage,
    authScopes: { audience: 'operator' },
    args: { ...pageArgs(t), rail: t.arg.string({ required: false }), status: t.arg({ type: ReportStatusEnum, required: false }) },
    resolve: (_root, filter, ctx) => reports(ctx, filter),
  }),
}));

builder.mutationField('startReconciliation', (t) =>
  t.field({
    route: rest('POST /v1/reconciliation/runs', 'Hold the ledger against the statement of a rail. It runs in the background.', {
      status: 202,
    }),
    type: Report,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: RunInput }) },
    resolve: once((ctx, { input }) => startRun(ctx, input), report),
  }),
);
