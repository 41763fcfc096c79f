// The GraphQL face of rails.
import { z } from 'zod';
import { RailStatus } from '../../generated/prisma/enums.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { RailUnexamined } from './errors.js';
import type { RailBalance, RailLimits, RailProblem } from './rail-kind.js';
import { type RailAvailability, type RailInfo, type RailWorks, railInfo, railList } from './rail-list.js';
import { rest } from './rest.js';
import { switchById, switchRail } from './switch.js';

const mostRails = 60;
const mostChecks = 100;

const RailAvailabilityEnum = builder.enumType('RailAvailability', {
  description:
    '`on` takes orders; `draining` takes no new ones; `off` lets nothing leave; `not_configured`: nobody serves it here; `simulated`: in the sandbox no money moves.',
  values: ['on', 'draining', 'off', 'not_configured', 'simulated'] as const satisfies RailAvailability[],
});
const RailStatusEnum = builder.enumType(RailStatus, {
  name: 'RailStatus',
  description: '`on` takes new orders. `draining` takes none and finishes what it has. `off` lets nothing leave.',
});
const RailWay = builder.enumType('RailWay', { description: 'Out of the platform, or into it.', values: ['out', 'in'] as const });

type InCurrency<T> = T & { currency: string };

const RailLimitsType = builder.objectRef<InCurrency<RailLimits>>('RailLimits').implement({
  description: 'What a rail carries at most, in its currency. Days are of UTC, and count the orders of all workspaces.',
  fields: (t) => ({
    perOrder: t.field({
      type: 'Amount',
      description: 'In one order.',
      resolve: ({ perOrder, currency }) => formatMinor(perOrder, currency),
    }),
    perDay: t.field({
      type: 'Amount',
      description: 'In a day; what comes beyond it waits for the next.',
      resolve: ({ perDay, currency }) => formatMinor(perDay, currency),
    }),
    perDayCount: t.exposeInt('perDayCount', { description: 'Orders in a day.' }),
  }),
});

const RailProblemType = builder.objectRef<RailProblem>('RailProblem').implement({
  description: 'Something that is wrong with a rail.',
  fields: (t) => ({
    check: t.exposeString('check', { description: 'Name of the check that found it.' }),
    found: t.exposeString('found', { description: 'What it found.' }),
    fix: t.exposeString('fix', { nullable: true, description: 'What to do about it.' }),
    stops: t.exposeBoolean('stops', { description: 'True where the rail takes no new orders until it is mended.' }),
  }),
});

const RailHealth = builder.objectRef<RailWorks['health']>('RailHealth').implement({
  description: 'Whether a rail is in order. It is looked at once a minute.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'True where nothing is wrong.' }),
    since: t.expose('since', { type: 'DateTime', nullable: true, description: 'Since when it is so; null before the first look.' }),
    problems: t.field({
      type: [RailProblemType],
      description: 'What is wrong.',
      ...facts({ most: mostChecks }),
      resolve: ({ problems }) => [...problems],
    }),
  }),
});

const RailBalanceType = builder.objectRef<RailBalance>('RailBalance').implement({
  description: 'What is at a place that belongs to a rail.',
  fields: (t) => ({
    where: t.exposeString('where', { description: 'The place, such as `treasury 0x…`.' }),
    amount: t.exposeString('amount', { description: 'How much, as a decimal string.' }),
    unit: t.exposeString('unit', { description: 'Of what: a currency, or the coin in which gas is paid.' }),
  }),
});

const RailUse = builder.objectRef<InCurrency<RailWorks['usedToday']>>('RailUse').implement({
  description: 'What of the limits of today was used.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'What has left.', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    count: t.int({ description: 'Orders that have left.', resolve: ({ orders }) => orders }),
  }),
});

const RailOpen = builder.objectRef<InCurrency<RailWorks['open']>>('RailOpen').implement({
  description: 'Orders that are under way.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What they come to.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    oldestAt: t.expose('oldestAt', { type: 'DateTime', nullable: true, description: 'When the oldest was accepted; null without one.' }),
  }),
});

const Rail = builder.objectRef<RailInfo>('Rail').implement({
  description: 'What carries money of one currency out of the platform or into it.',
  fields: (t) => ({
    rail: t.exposeString('rail', { description: 'Its name.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The currency that it carries.' }),
    kind: t.exposeString('kind', {
      nullable: true,
      description: 'How it works: `simulated`, `evm` and so on; null where nobody serves it.',
    }),
    directions: t.field({
      type: [RailWay],
      description: 'Which ways it carries money.',
      ...facts({ most: 2 }),
      resolve: ({ directions }) => [...directions],
    }),
    status: t.expose('status', { type: RailAvailabilityEnum, description: 'Whether it takes orders.' }),
    fee: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What it takes for an order; null where nobody serves it.',
      resolve: ({ fee, currency }) => (fee === null ? null : formatMinor(fee, currency)),
    }),
    limits: t.field({
      type: RailLimitsType,
      nullable: true,
      description: 'What it carries at most; null where it is not bounded.',
      resolve: ({ limits, currency }) => (limits === null ? null : { ...limits, currency }),
    }),
    expectedSeconds: t.exposeInt('expectedSeconds', { nullable: true, description: 'From an order to its payment, as a rule.' }),
    network: t.exposeString('network', { nullable: true, description: 'The network of a chain, as CAIP-2 names it.' }),
    health: t.field({
      type: RailHealth,
      nullable: true,
      description: 'Whether it is in order. Only who runs the platform sees it, and what follows.',
      resolve: ({ works }) => works?.health ?? null,
    }),
    reason: t.string({ nullable: true, description: 'Why it was last switched.', resolve: ({ works }) => works?.reason ?? null }),
    balances: t.field({
      type: [RailBalanceType],
      nullable: true,
      description: 'What is at the places that belong to it.',
      ...facts({ most: 20 }),
      resolve: ({ works }) => (works === null ? null : [...works.balances]),
    }),
    usedToday: t.field({
      type: RailUse,
      nullable: true,
      description: 'What of the limits of today was used.',
      resolve: ({ works, currency }) => (works === null ? null : { ...works.usedToday, currency }),
    }),
    open: t.field({
      type: RailOpen,
      nullable: true,
      description: 'Orders that are under way.',
      resolve: ({ works, currency }) => (works === null ? null : { ...works.open, currency }),
    }),
  }),
});

const RailSwitch = builder.prismaObject('RailSwitch', {
  description: 'That a rail was switched. It is never changed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RailSwitchId' }),
    rail: t.exposeString('rail', { description: 'The rail.' }),
    from: t.expose('from', { type: RailStatusEnum, description: 'What it was.' }),
    to: t.expose('to', { type: RailStatusEnum, description: 'What it is.' }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    by: t.exposeString('by', { description: 'Id of who switched it; `system`: the command line or the platform itself.' }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
    inFlight: t.stringList({
      nullable: true,
      description: 'What was still being sent after ten seconds; null where nothing was.',
      resolve: ({ inFlight }) => (inFlight.length === 0 ? null : inFlight),
    }),
  }),
});

const SwitchRailInput = builder.inputType('SwitchRailInput', {
  description: 'What a rail is to be.',
  fields: (t) => ({
    to: t.field({ type: RailStatusEnum, required: true, description: 'What it is to be.' }),
    reason: t.string({ required: true, description: 'Why, for the record.', validate: z.string().min(1).max(500) }),
  }),
});

/** What no rail is called is 404, whatever it looks like. */
const name = z.string().min(1).max(100);

builder.queryFields((t) => ({
  rails: t.field({
    route: rest(
      'GET /v1/rails',
      'List the rails that carry money out of the platform and into it. Each says whether it takes orders, what it carries at most, and what it takes for it.',
    ),
    type: [Rail],
    authScopes: { audience: 'any', scope: 'rails:read' },
    ...facts({ most: mostRails }),
    resolve: (_root, _args, ctx) => railList(ctx),
  }),
  rail: t.field({
    route: rest('GET /v1/rails/{rail}', 'Read a rail. Who runs the platform sees its health, its balances and its open orders too.'),
    type: Rail,
    authScopes: { audience: 'any', scope: 'rails:read' },
    args: { rail: t.arg.string({ required: true, description: 'Name of the rail.', validate: name }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { rail }, ctx) => railInfo(ctx, rail),
  }),
}));

builder.mutationField('switchRail', (t) =>
  t.field({
    route: rest(
      'POST /v1/rails/{rail}/switch',
      'Switch a rail of production on or off, or let it finish what it has. After the answer to `off` nothing leaves; 202 names what is still being sent after ten seconds. Only who runs the platform may; `freeze:write` suffices for `off`, everything else asks for `rails:write`.',
      { accepted: 'in_flight' },
    ),
    type: RailSwitch,
    // Gap G-840: Which scope a switch asks for follows from `to`, so the rule asks for it: `rails:write`, or `freeze:write` to switch off.
    authScopes: { audience: 'operator', scope: 'self' },
    args: {
      rail: t.arg.string({ required: true, description: 'Name of the rail.', validate: name }),
      input: t.arg({ type: SwitchRailInput, required: true }),
    },
    ...facts({ errors: [NotFound, Forbidden, RailUnexamined, StateConflict, StepUpRequired] }),
    resolve: once((ctx, { rail, input }) => switchRail(ctx, { rail, ...input }), switchById),
  }),
);
