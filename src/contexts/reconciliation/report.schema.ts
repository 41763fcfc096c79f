// The GraphQL face of reconciliation runs and their reports.

import { z } from 'zod';
import type { ReconciliationReport as Row } from '../../generated/prisma/client.js';
import { ReportStatus } from '../../generated/prisma/enums.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { foundBy, mostShown } from './discrepancy.js';
import { Discrepancy } from './discrepancy.schema.js';
import { dayText } from './events.js';
import { report, reports, startRun } from './report.js';
import { rest } from './rest.js';

const ReportStatusEnum = builder.enumType(ReportStatus, {
  name: 'ReconciliationStatus',
  description: '`running`: lines are being compared. `completed` and `failed`: ended.',
});

const ReportPeriod = builder.objectRef<Row>('ReconciliationPeriod').implement({
  description: 'Days in UTC, both included.',
  fields: (t) => ({
    from: t.field({ type: 'Date', description: 'First day, in UTC.', resolve: ({ dateFrom }) => dayText(dateFrom) }),
    to: t.field({ type: 'Date', description: 'Last day, included, in UTC.', resolve: ({ dateTo }) => dayText(dateTo) }),
  }),
});

const ReportTotals = builder.objectRef<Row>('ReconciliationTotals').implement({
  description: 'Counts of a run; they grow while it goes on. Each line matches one of the other side or is named in one discrepancy.',
  fields: (t) => ({
    ledgerEntries: t.int({
      description: 'Number of lines of the ledger.',
      resolve: ({ matched, unmatchedLedger }) => matched + unmatchedLedger,
    }),
    railEntries: t.int({
      description: 'Number of lines of the statement.',
      resolve: ({ matched, unmatchedRail }) => matched + unmatchedRail,
    }),
    matched: t.exposeInt('matched', { description: 'Number of lines, on either side, that match.' }),
    unmatchedLedger: t.exposeInt('unmatchedLedger', { description: 'Number of lines of the ledger without a match.' }),
    unmatchedRail: t.exposeInt('unmatchedRail', { description: 'Number of lines of the statement without a match.' }),
    discrepancies: t.exposeInt('discrepancies', { description: 'Number of discrepancies that the run found.' }),
  }),
});

const Report = builder.prismaObject('ReconciliationReport', {
  ...byId(rowsOf('reconciliationReport', operatorsOnly('settlement:read'))),
  description: 'One comparison of the ledger with the statement of a rail over a period.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ReportId' }),
    rail: t.exposeString('rail', { description: 'The rail whose statement was compared.' }),
    status: t.expose('status', { type: ReportStatusEnum }),
    period: t.field({ type: ReportPeriod, description: 'The days that were compared.', resolve: (row) => row }),
    totals: t.field({ type: ReportTotals, description: 'Counts of the lines that were compared.', resolve: (row) => row }),
    discrepancies: t.field({
      type: [Discrepancy],
      description: 'The newest 100 that it found; `GET /v1/reconciliation/discrepancies?report_id=` lists all.',
      extensions: { visible: true, ...facts({ most: mostShown }).extensions },
      resolve: ({ id }, _args, ctx) => foundBy(ctx, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When the run ended, completed or failed; null while it goes on.',
    }),
  }),
});
const ReportPage = pageOf(Report, 'ReconciliationReport');

const RunInput = builder.inputType('ReconciliationRunInput', {
  description: 'The rail and days to reconcile.',
  fields: (t) => ({
    rail: t.string({
      description: 'The rail, such as `ach` or `usdc-base`.',
      validate: z.string().min(1).max(32),
      extensions: { example: 'ach' },
    }),
    dateFrom: t.field({ type: 'Date', description: 'First day in UTC, such as 2026-03-01.' }),
    dateTo: t.field({ type: 'Date', description: 'Last day in UTC, included; at most 366 days in all.' }),
  }),
});

builder.queryFields((t) => ({
  reconciliationReport: t.field({
    route: rest(
      'GET /v1/reconciliation/reports/{id}',
      'Read a report with its counts and the newest 100 discrepancies. While the run goes on the counts grow.',
      {
        also: ['discrepancies'],
      },
    ),
    type: Report,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'ReportId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => report(ctx, id),
  }),
  reconciliationReports: t.field({
    route: rest('GET /v1/reconciliation/reports', 'List reconciliation reports, newest first. Filter by rail or status.'),
    type: ReportPage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { ...pageArgs(t), rail: t.arg.string({ required: false }), status: t.arg({ type: ReportStatusEnum, required: false }) },
    resolve: (_root, filter, ctx) => reports(ctx, filter),
  }),
}));

builder.mutationField('startReconciliation', (t) =>
  t.field({
    route: rest(
      'POST /v1/reconciliation/runs',
      'Compare the ledger with the statement of a rail over a period. It runs in the background (202): read the report until it is `completed`. Emits `reconciliation.discrepancy` for each find and `reconciliation.completed` at the end.',
      {
        status: 202,
      },
    ),
    type: Report,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: RunInput }) },
    resolve: once((ctx, { input }) => startRun(ctx, input), report),
  }),
);
