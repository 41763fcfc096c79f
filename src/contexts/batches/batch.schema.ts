// The GraphQL face of batches.
import type { BatchItem as BatchItemRow, Batch as BatchRow } from '../../generated/prisma/client.js';
import type { BatchKind } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
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
import { approvedItem, batch, batches, batchItems, cancelBatch, type ItemOfBatch } from './batch.js';
import { createTransferBatch } from './batch-request.js';
import { currencyOfTotal } from './events.js';
import { rest } from './rest.js';

interface Total {
  currency: string;
  minor: string;
}
const BatchTotal = builder.objectRef<Total>('BatchTotal').implement({
  description: 'What the items in one currency come to.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({ type: 'Amount', resolve: ({ minor, currency }) => formatMinor(BigInt(minor), currency) }),
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
  description: 'Requests that were taken together and are carried out afterwards.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BatchId' }),
    kind: t.expose('kind', { type: BatchKindEnum }),
    status: t.expose('status', { type: BatchStatusEnum, description: 'completed: every item was tried. failed: nothing was done.' }),
    mode: t.expose('mode', { type: BatchModeEnum }),
    reference: t.exposeString('reference', { nullable: true }),
    totalCount: t.exposeInt('totalCount'),
    successCount: t.exposeInt('successCount'),
    failedCount: t.exposeInt('failedCount'),
    totalAmount: t.field({
      type: 'Amount',
      description: 'Of all items; in USD, by the rates of the day, where they have several currencies.',
      resolve: (row) => formatMinor(row.totalAmount, currencyOfTotal(row)),
    }),
    currency: t.expose('currency', {
      wire: { orNull: true },
      type: 'Currency',
      nullable: true,
      description: 'Null where the items have several.',
    }),
    totals: t.field({
      type: [BatchTotal],
      ...facts({ most: currencies.length }),
      resolve: ({ totals }) => totals as unknown as Total[],
    }),
    failure: t.field({ type: BatchFailure, nullable: true, resolve: (row) => (row.failureCode === null ? null : row) }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, whether it was completed or failed.',
    }),
  }),
});
const BatchPage = pageOf(Batch, 'Batch');

const BatchItemError = builder.objectRef<BatchItemRow>('BatchItemError').implement({
  description: 'Why an item failed.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.errorCode ?? '' }),
    error: t.string({ resolve: (row) => row.errorMessage ?? '' }),
  }),
});
const madeBy = ({ kind, status, madeId }: ItemOfBatch, wanted: BatchKind) => (status === 'succeeded' && kind === wanted ? madeId : null);
const BatchItem = builder.objectRef<ItemOfBatch>('BatchItem').implement({
  description: 'One request of a batch.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the request, from 0.' }),
    status: t.expose('status', { type: BatchItemStatusEnum, description: 'succeeded: what it asks for exists, which may be pending.' }),
    transferId: t.field({ type: 'TransferId', nullable: true, resolve: (item) => madeBy(item, 'transfers') }),
    acpCheckoutId: t.field({ type: 'AcpCheckoutId', nullable: true, resolve: (item) => madeBy(item, 'acp_checkouts') }),
    ucpCheckoutId: t.field({ type: 'UcpCheckoutId', nullable: true, resolve: (item) => madeBy(item, 'ucp_checkouts') }),
    error: t.field({ type: BatchItemError, nullable: true, resolve: (row) => (row.errorCode === null ? null : row) }),
  }),
});

builder.queryFields((t) => ({
  batch: t.prismaField({
    route: rest('GET /v1/batches/{id}', 'Read a batch.'),
    type: Batch,
    args: { id: t.arg({ type: 'BatchId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => batch(ctx, id),
  }),
  batches: t.field({
    route: rest('GET /v1/batches', 'List batches.'),
    type: BatchPage,
    ...listed(t, batches, { status: t.arg({ type: BatchStatusEnum, required: false }) }),
  }),
  batchItems: t.field({
    route: rest('GET /v1/batches/{id}/items'),
    type: [BatchItem],
    description: 'The items of a batch, in the order of the request.',
    args: { id: t.arg({ type: 'BatchId' }), status: t.arg({ type: BatchItemStatusEnum, required: false }) },
    ...facts({ errors: [NotFound], most: mostTransfers }),
    resolve: (_root, { id, status }, ctx) => batchItems(ctx, id, status ?? null),
  }),
}));

builder.mutationFields((t) => ({
  createTransferBatch: t.field({
    route: rest('POST /v1/transfers/batch', 'Take many transfers at once. They are carried out afterwards.', { status: 202 }),
    type: Batch,
    description: 'Takes up to 500 transfers at once; they are carried out afterwards. One request of the rate limits.',
    args: { input: t.arg({ type: CreateTransferBatchInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => createTransferBatch(ctx, input), batch),
  }),
  cancelBatch: t.field({
    route: rest('POST /v1/batches/{id}/cancel', 'Call a batch off that has not begun.'),
    type: Batch,
    args: { id: t.arg({ type: 'BatchId' }), input: t.arg({ type: CancelBatchInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelBatch(ctx, id, input.reason ?? null), batch),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'batchItem', (t) =>
  t.field({
    type: BatchItem,
    nullable: true,
    description: 'The item of a batch that made what was approved.',
    resolve: ({ approval }, _args, ctx) => approvedItem(ctx, approval),
  }),
);
