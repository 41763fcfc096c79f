// The GraphQL face of batches.

import type { BatchItem as BatchItemRow, Batch as BatchRow } from '../../generated/prisma/client.js';
import type { BatchKind } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { ApproveApprovalPayload } from '../spending/approval/approval.schema.js';
import {
  BatchItemStatusEnum,
  BatchKindEnum,
  BatchModeEnum,
  BatchStatusEnum,
  CancelBatchInput,
  CreateTransferBatchInput,
  mostTransfers,
} from './batch.input.js';
import { approvedItem, batch, batches, batchItems, cancelBatch, type ItemOfBatch, visibleBatches } from './batch.js';
import { createTransferBatch } from './batch-request.js';
import { currencyOfTotal } from './events.js';
import { rest } from './rest.js';

interface Total {
  currency: string;
  minor: string;
}
const BatchTotal = builder.objectRef<Total>('BatchTotal').implement({
  description: 'The sum of the items in one currency.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({
      type: 'Amount',
      description: 'Sum of the items in this currency.',
      resolve: ({ minor, currency }) => formatMinor(BigInt(minor), currency),
    }),
  }),
});

const BatchFailure = builder.objectRef<BatchRow>('BatchFailure').implement({
  description: 'Why a batch failed as a whole.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.failureCode ?? '' }),
    message: t.string({ resolve: (row) => row.failureMessage ?? '' }),
  }),
});

const Batch = builder.prismaObject('Batch', {
  ...byId(rowsOf('batch', visibleBatches)),
  description: 'Requests that were accepted together and are carried out one after the other.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BatchId' }),
    kind: t.expose('kind', { type: BatchKindEnum }),
    status: t.expose('status', { type: BatchStatusEnum, description: 'completed: every item was tried. failed: nothing was done.' }),
    mode: t.expose('mode', { type: BatchModeEnum }),
    reference: t.exposeString('reference', { nullable: true, description: 'Your own reference of the batch; null where none was given.' }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of items.' }),
    successCount: t.exposeInt('successCount', { description: 'Number of items that have succeeded so far.' }),
    failedCount: t.exposeInt('failedCount', { description: 'Number of items that have failed so far.' }),
    totalAmount: t.field({
      type: 'Amount',
      description: 'Sum of all items: in `currency`, or in USD by the rates of the day where they have several currencies.',
      resolve: (row) => formatMinor(row.totalAmount, currencyOfTotal(row)),
    }),
    currency: t.expose('currency', {
      wire: { orNull: true },
      type: 'Currency',
      nullable: true,
      description: 'The currency of all items; null where they have several.',
    }),
    totals: t.field({
      type: [BatchTotal],
      description: 'The exact sum in each currency.',
      ...facts({ most: currencies.length }),
      resolve: ({ totals }) => totals as unknown as Total[],
    }),
    failure: t.field({
      type: BatchFailure,
      nullable: true,
      description: 'Why the batch failed as a whole; null where it did not.',
      resolve: (row) => (row.failureCode === null ? null : row),
    }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it began to be carried out; null before.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, completed or failed; null before.',
    }),
  }),
});
const BatchPage = pageOf(Batch, 'Batch');

const BatchItemError = builder.objectRef<BatchItemRow>('BatchItemError').implement({
  description: 'Why an item failed.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.errorCode ?? '' }),
    error: t.string({
      description: 'What went wrong, as a sentence for people; its wording may change.',
      resolve: (row) => row.errorMessage ?? '',
    }),
    details: t.field({
      type: 'JSONObject',
      description: 'What a request of its own would have been told: limits with figures, next actions, whether a retry is safe.',
      resolve: ({ errorDetails }) => errorDetails ?? {},
    }),
  }),
});
const madeBy = ({ kind, status, madeId }: ItemOfBatch, wanted: BatchKind) => (status === 'succeeded' && kind === wanted ? madeId : null);
const BatchItem = builder.objectRef<ItemOfBatch>('BatchItem').implement({
  description: 'One request of a batch.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the request, from 0.' }),
    status: t.expose('status', {
      type: BatchItemStatusEnum,
      description:
        '`pending`: not tried yet. `succeeded`: what it asks for exists, which may still be pending. `failed`: it was refused. `skipped`: the batch failed or was cancelled.',
    }),
    transferId: t.field({
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that it made; null for others.',
      resolve: (item) => madeBy(item, 'transfers'),
    }),
    acpCheckoutId: t.field({
      type: 'AcpCheckoutId',
      nullable: true,
      description: 'The ACP checkout that it made; null for others.',
      resolve: (item) => madeBy(item, 'acp_checkouts'),
    }),
    ucpCheckoutId: t.field({
      type: 'UcpCheckoutId',
      nullable: true,
      description: 'The UCP checkout that it made; null for others.',
      resolve: (item) => madeBy(item, 'ucp_checkouts'),
    }),
    error: t.field({
      type: BatchItemError,
      nullable: true,
      description: 'Why it failed; null where it did not.',
      resolve: (row) => (row.errorCode === null ? null : row),
    }),
  }),
});

builder.queryFields((t) => ({
  batch: t.prismaField({
    route: rest('GET /v1/batches/{id}', 'Read a batch with its counts and totals. Read its items with `GET /v1/batches/{id}/items`.'),
    type: Batch,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: { id: t.arg({ type: 'BatchId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => batch(ctx, id),
  }),
  batches: t.field({
    route: rest('GET /v1/batches', 'List batches, newest first. Filter by status.'),
    type: BatchPage,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    ...listed(t, batches, { status: t.arg({ type: BatchStatusEnum, required: false }) }),
  }),
  batchItems: t.field({
    route: rest(
      'GET /v1/batches/{id}/items',
      'List the items of a batch, in the order of the request. Each says what it made or why it failed; filter by status.',
    ),
    type: [BatchItem],
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: {
      id: t.arg({ type: 'BatchId' }),
      status: t.arg({ type: BatchItemStatusEnum, required: false, description: 'Only items in this status.' }),
    },
    ...facts({ errors: [NotFound], most: mostTransfers }),
    resolve: (_root, { id, status }, ctx) => batchItems(ctx, id, status ?? null),
  }),
}));

builder.mutationFields((t) => ({
  createTransferBatch: t.field({
    route: rest(
      'POST /v1/transfers/batch',
      'Submit up to 500 transfers at once. They are carried out afterwards (202), each by itself or all together (`mode: atomic`), and count as one request of the rate limit. A faulty item is 400 with its path. Emits `batch.created`, then `batch.completed` or `batch.failed`.',
      { status: 202 },
    ),
    type: Batch,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { input: t.arg({ type: CreateTransferBatchInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => createTransferBatch(ctx, input), batch),
  }),
  cancelBatch: t.field({
    route: rest(
      'POST /v1/batches/{id}/cancel',
      'Cancel a batch that has not begun; none of its items is carried out. A batch that has begun is 409 `state_conflict`.',
    ),
    type: Batch,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'BatchId' }), input: t.arg({ type: CancelBatchInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelBatch(ctx, id, input.reason ?? null), batch),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'batchItem', (t) =>
  t.field({
    type: BatchItem,
    nullable: true,
    description: 'The item of a batch whose transfer was approved; else null.',
    resolve: ({ approval }, _args, ctx) => approvedItem(ctx, approval),
  }),
);
