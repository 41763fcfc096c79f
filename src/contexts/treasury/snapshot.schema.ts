// The GraphQL face of snapshots.
import { z } from 'zod';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { TreasuryBalance, TreasuryExposure } from './position.schema.js';
import { rest } from './rest.js';
import { positionsOf, snapshot, snapshots, takeSnapshot } from './snapshot.js';

const TreasurySnapshot = builder.prismaObject('TreasurySnapshot', {
  description: 'What the workspace held, owed and had promised at one instant. It is never changed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SnapshotId' }),
    description: t.exposeString('description', { nullable: true, description: 'Why it was taken; null where nothing was said.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', description: 'When it was taken.' }),
    balances: t.field({
      type: [TreasuryBalance],
      description: 'Where the money was, by currency.',
      ...facts({ most: currencies.length }),
      resolve: positionsOf,
    }),
    exposure: t.field({
      type: [TreasuryExposure],
      description: 'What was promised and not paid, by currency.',
      ...facts({ most: currencies.length }),
      resolve: positionsOf,
    }),
    treeHead: t.exposeString('treeHead', {
      wire: { orNull: true },
      nullable: true,
      description: 'Root of the audit log at that time, in hex; null while there was none.',
    }),
  }),
});
const TreasurySnapshotPage = pageOf(TreasurySnapshot, 'TreasurySnapshot');

const TreasurySnapshotInput = builder.inputType('TreasurySnapshotInput', {
  description: 'Why a snapshot is taken.',
  fields: (t) => ({
    description: t.string({ required: false, description: 'Why it is taken, for the record.', validate: z.string().max(500) }),
  }),
});

builder.queryFields((t) => ({
  treasurySnapshot: t.field({
    route: rest(
      'GET /v1/treasury/snapshots/{id}',
      'Read a snapshot of the treasury. It shows balances and exposure as they were at one instant.',
    ),
    type: TreasurySnapshot,
    authScopes: { audience: 'operator', scope: 'treasury:read' },
    args: { id: t.arg({ type: 'SnapshotId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => snapshot(ctx, id),
  }),
  treasurySnapshots: t.field({
    route: rest(
      'GET /v1/treasury/snapshots',
      'List the snapshots of the treasury, newest first. Filter by the time at which they were taken.',
    ),
    type: TreasurySnapshotPage,
    authScopes: { audience: 'operator', scope: 'treasury:read' },
    args: pageArgs(t),
    resolve: (_root, filter, ctx) => snapshots(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  takeTreasurySnapshot: t.field({
    type: TreasurySnapshot,
    description:
      'Take a snapshot of the treasury for audit: balances, exposure and the root of the audit log. It is never changed afterwards; read it with `GET /v1/treasury/snapshots/{id}`.',
    authScopes: { audience: 'operator', scope: 'treasury:write' },
    args: { input: t.arg({ type: TreasurySnapshotInput }) },
    resolve: once((ctx, { input }) => takeSnapshot(ctx, input.description), snapshot),
  }),
}));
