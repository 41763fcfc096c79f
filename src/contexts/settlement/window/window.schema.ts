// The GraphQL face of settlement windows. Agents have none of it.
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { UnsupportedRail } from '../../transfers/rail.js';
import { rest } from '../rest.js';
import { CreateSettlementWindowInput, mostWindowTimes, UpdateSettlementWindowInput, WindowFrequencyEnum } from './window.input.js';
import { createWindow, deleteWindow, settlementWindow, settlementWindows, updateWindow } from './window.js';

const Window = builder.prismaObject('SettlementWindow', {
  description: 'Payouts over its rail in its currency wait until it closes and are submitted together.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementWindowId' }),
    name: t.exposeString('name'),
    rail: t.exposeString('rail'),
    currency: t.expose('currency', { type: 'Currency' }),
    frequency: t.expose('frequency', { wire: { after: 'rail' }, type: WindowFrequencyEnum }),
    scheduleUtc: t.exposeStringList('scheduleUtc', { wire: { after: 'enabled' }, ...facts({ most: mostWindowTimes }) }),
    cronExpression: t.exposeString('cronExpression', { wire: { after: 'scheduleUtc' }, nullable: true }),
    minBatchAmountCents: t.field({ type: 'Cents', resolve: ({ minBatchAmountCents }) => Number(minBatchAmountCents) }),
    maxBatchSize: t.exposeInt('maxBatchSize'),
    enabled: t.exposeBoolean('enabled'),
    nextClosingAt: t.expose('dueAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const WindowPage = pageOf(Window, 'SettlementWindow');

const DeletedWindow = builder.objectRef<{ id: string }>('DeletedSettlementWindow').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'SettlementWindowId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  settlementWindow: t.prismaField({
    route: rest('GET /v1/settlement-windows/{id}', 'Read a settlement window.'),
    type: Window,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementWindowId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => settlementWindow(ctx, id),
  }),
  settlementWindows: t.field({
    route: rest('GET /v1/settlement-windows', 'List settlement windows.'),
    type: WindowPage,
    authScopes: { audience: 'operator' },
    ...listed(t, settlementWindows, {
      rail: t.arg.string({ required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      enabled: t.arg.boolean({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createSettlementWindow: t.field({
    route: rest(
      'POST /v1/settlement-windows',
      'Open a settlement window: payouts over its rail in its currency wait until it closes and are submitted together.',
      { status: 201 },
    ),
    type: Window,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateSettlementWindowInput }) },
    ...facts({ errors: [StateConflict, UnsupportedRail] }),
    resolve: once((ctx, { input }) => createWindow(ctx, input), settlementWindow),
  }),
  updateSettlementWindow: t.field({
    route: rest(
      'PATCH /v1/settlement-windows/{id}',
      'Change a settlement window. What waits for one that is disabled is submitted at once.',
    ),
    type: Window,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementWindowId' }), input: t.arg({ type: UpdateSettlementWindowInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => updateWindow(ctx, { ...input, id }), settlementWindow),
  }),
  deleteSettlementWindow: t.field({
    route: rest('DELETE /v1/settlement-windows/{id}', 'Delete a settlement window. What waits for it is submitted at once.'),
    type: DeletedWindow,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementWindowId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteWindow(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
