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
    description: t.exposeString('description', { nullable: true }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime' }),
    balances: t.field({
      type: [TreasuryBalance],
      ...facts({ most: currencies.length }),
      resolve: positionsOf,
    }),
    exposure: t.field({
      type: [TreasuryExposure],
      ...facts({ most: currencies.length }),
      resolve: positionsOf,
    }),
    treeHead: t.exposeString('treeHead', {
      wire: { orNull: true },
      nullable: true,
      description: 'Head of the audit log; null while there is none.',
    }),
  }),
});
const TreasurySnapshotPage = pageOf(TreasurySnapshot, 'TreasurySnapshot');

const TreasurySnapshotInput = builder.inputType('TreasurySnapshotInput', {
  fields: (t) => ({
    description: t.string({ required: false, description: 'What it is taken for.', validate: z.string().max(500) }),
  }),
});

builder.queryFields((t) => ({
  treasurySnapshot: t.field({
    route: rest('GET /v1/treasury/snapshots/{id}', 'Read a snapshot of the treasury.'),
    type: TreasurySnapshot,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SnapshotId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => snapshot(ctx, id),
  }),
  treasurySnapshots: t.field({
    route: rest('GET /v1/treasury/snapshots', 'List the snapshots of the treasury.'),
    type: TreasurySnapshotPage,
    authScopes: { audience: 'operator' },
    args: pageArgs(t),
    resolve: (_root, filter, ctx) => snapshots(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  takeTreasurySnapshot: t.field({
    type: TreasurySnapshot,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: TreasurySnapshotInput }) },
    resolve: once((ctx, { input }) => takeSnapshot(ctx, input.description), snapshot),
  }),
}));
