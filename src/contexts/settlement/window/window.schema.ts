// The GraphQL face of settlement windows. Agents have none of it.

import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { operatorsOnly } from '../../../platform/visibility.js';
import { UnsupportedRail } from '../../transfers/rail.js';
import { rest } from '../rest.js';
import { CreateSettlementWindowInput, mostWindowTimes, UpdateSettlementWindowInput, WindowFrequencyEnum } from './window.input.js';
import { createWindow, deleteWindow, settlementWindow, settlementWindows, updateWindow } from './window.js';

const Window = builder.prismaObject('SettlementWindow', {
  ...byId(rowsOf('settlementWindow', operatorsOnly('settlement:read'), { where: { deletedAt: null } })),
  description: 'A schedule at which waiting payouts of one rail and currency are submitted together.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementWindowId' }),
    name: t.exposeString('name', { description: 'Your own name for the window.' }),
    rail: t.exposeString('rail', { description: 'The rail whose payouts it groups.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    frequency: t.expose('frequency', { wire: { after: 'rail' }, type: WindowFrequencyEnum }),
    scheduleUtc: t.exposeStringList('scheduleUtc', {
      description: 'When it closes: HH:MM for `daily`, MON HH:MM for `weekly`, in UTC; empty for others.',
      wire: { after: 'enabled' },
      ...facts({ most: mostWindowTimes }),
    }),
    cronExpression: t.exposeString('cronExpression', {
      wire: { after: 'scheduleUtc' },
      nullable: true,
      description: 'For `custom`: five fields of cron in UTC; null for others.',
    }),
    minBatchAmountCents: t.field({
      type: 'Cents',
      description: 'With less, the window waits for its next closing: a whole number of hundredths of the currency.',
      resolve: ({ minBatchAmountCents }) => Number(minBatchAmountCents),
    }),
    maxBatchSize: t.exposeInt('maxBatchSize', { description: 'Most payouts submitted together; more are split.' }),
    enabled: t.exposeBoolean('enabled', { description: 'False: payouts do not wait for it.' }),
    nextClosingAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it closes next; null for `realtime` and while it is disabled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const WindowPage = pageOf(Window, 'SettlementWindow');

const DeletedWindow = builder.objectRef<{ id: string }>('DeletedSettlementWindow').implement({
  description: 'A settlement window that was deleted.',
  fields: (t) => ({ id: t.expose('id', { type: 'SettlementWindowId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  settlementWindow: t.prismaField({
    route: rest(
      'GET /v1/settlement-windows/{id}',
      'Read a settlement window with its next closing. Payouts over its rail in its currency wait for that closing.',
    ),
    type: Window,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'SettlementWindowId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => settlementWindow(ctx, id),
  }),
  settlementWindows: t.field({
    route: rest(
      'GET /v1/settlement-windows',
      'List settlement windows, newest first. Filter by rail, currency or whether they are enabled.',
    ),
    type: WindowPage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
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
      'Create a settlement window: payouts over its rail in its currency wait until it closes and are submitted together. A rail and currency have one enabled window; a second one is 409.',
      { status: 201 },
    ),
    type: Window,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreateSettlementWindowInput }) },
    ...facts({ errors: [StateConflict, UnsupportedRail] }),
    resolve: once((ctx, { input }) => createWindow(ctx, input), settlementWindow),
  }),
  updateSettlementWindow: t.field({
    route: rest(
      'PATCH /v1/settlement-windows/{id}',
      'Change a settlement window; its rail and currency stay. Waiting payouts go with its next closing, or at once when it is disabled or becomes `realtime`.',
    ),
    type: Window,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'SettlementWindowId' }), input: t.arg({ type: UpdateSettlementWindowInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => updateWindow(ctx, { ...input, id }), settlementWindow),
  }),
  deleteSettlementWindow: t.field({
    route: rest('DELETE /v1/settlement-windows/{id}', 'Delete a settlement window. Payouts that wait for it are submitted at once.'),
    type: DeletedWindow,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'SettlementWindowId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteWindow(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
