// The GraphQL face of settlement windows. Agents have none of it.
import { z } from 'zod';
import { WindowFrequency } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { UnsupportedRail } from '../transfers/rail.js';
import { rest } from './rest.js';
import { createWindow, deleteWindow, settlementWindow, settlementWindows, updateWindow, usualBatchSize } from './window.js';

const WindowFrequencyEnum = builder.enumType(WindowFrequency, { name: 'SettlementWindowFrequency' });

const mostEntries = 24;
const Window = builder.prismaObject('SettlementWindow', {
  description: 'Payouts over its rail in its currency wait until it closes and are submitted together.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementWindowId' }),
    name: t.exposeString('name'),
    rail: t.exposeString('rail'),
    currency: t.expose('currency', { type: 'Currency' }),
    frequency: t.expose('frequency', { wire: { after: 'rail' }, type: WindowFrequencyEnum }),
    scheduleUtc: t.exposeStringList('scheduleUtc', { wire: { after: 'enabled' }, ...facts({ most: mostEntries }) }),
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

const name = z.string().trim().min(1).max(200);
const optional = {
  scheduleUtc: {
    required: false,
    description: 'daily: entries HH:MM, by default 00:00. weekly: MON HH:MM, by default MON 00:00. Of no other frequency.',
    validate: z.array(z.string().max(16)).min(1).max(mostEntries),
  },
  cronExpression: {
    required: false,
    description: 'Of custom alone: five fields, in UTC; fires at least 15 minutes apart.',
    validate: z.string().min(1).max(128),
  },
  minBatchAmountCents: {
    required: false,
    description: 'Hundredths of the currency. With less the window waits for its next closing; 0 by default.',
    validate: z.int().min(0),
  },
  maxBatchSize: {
    required: false,
    description: `Payouts of one batch at most; more are submitted in several. ${usualBatchSize} by default.`,
    validate: z.int().min(1).max(10_000),
  },
  enabled: { required: false, description: 'One window of a rail and a currency may be.' },
} as const;

const CreateWindowInput = builder.inputType('CreateSettlementWindowInput', {
  fields: (t) => ({
    name: t.string({ validate: name }),
    rail: t.string({ validate: z.string().min(1).max(64) }),
    currency: t.field({ type: 'Currency' }),
    frequency: t.field({ type: WindowFrequencyEnum }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({ type: 'Cents', ...optional.minBatchAmountCents }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean({ ...optional.enabled, description: `${optional.enabled.description} True by default.` }),
  }),
});
const UpdateWindowInput = builder.inputType('UpdateSettlementWindowInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name }),
    frequency: t.field({ type: WindowFrequencyEnum, required: false }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({ type: 'Cents', ...optional.minBatchAmountCents }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean(optional.enabled),
  }),
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
    args: {
      ...pageArgs(t),
      rail: t.arg.string({ required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      enabled: t.arg.boolean({ required: false }),
    },
    resolve: (_root, filter, ctx, info) => settlementWindows(ctx, filter, nodesQuery(ctx, info)),
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
    args: { input: t.arg({ type: CreateWindowInput }) },
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
    args: { id: t.arg({ type: 'SettlementWindowId' }), input: t.arg({ type: UpdateWindowInput }) },
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
