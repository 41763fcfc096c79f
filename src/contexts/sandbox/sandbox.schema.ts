// The GraphQL face of the test clock and of test events.
import { z } from 'zod';
import { builder, facts } from '../../platform/builder.js';
import { StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { event } from '../events/event.js';
import { advanceClock, maxAdvanceSeconds, type TestClock, testClock } from './clock.js';
import { triggerEvent } from './trigger.js';

const TestClockStatus = builder.enumType('TestClockStatus', { values: ['ready', 'advancing'] as const });

const TestClockObject = builder.objectRef<TestClock>('TestClock').implement({
  description: 'The time of a sandbox.',
  fields: (t) => ({
    id: t.expose('workspaceId', { type: 'TestClockId' }),
    now: t.expose('now', { type: 'DateTime' }),
    status: t.expose('status', { type: TestClockStatus }),
    target: t.expose('target', { type: 'DateTime', nullable: true, description: 'Where it is going, while it is advancing.' }),
  }),
});

const AdvanceClockInput = builder.inputType('AdvanceClockInput', {
  description: 'Either `to` or `seconds`.',
  fields: (t) => ({
    to: t.field({ type: 'DateTime', required: false, description: 'After the present time of the clock, at most five years.' }),
    seconds: t.int({ required: false, validate: z.int().min(1).max(maxAdvanceSeconds) }),
  }),
});

const TriggerEventInput = builder.inputType('TriggerEventInput', {
  fields: (t) => ({
    type: t.string({ description: 'A type of the catalog.' }),
    data: t.field({ type: 'JSONObject', required: false, description: 'Members that replace those of the example.' }),
    objectId: t.string({ required: false, description: 'Id of what it is about, bare or with its prefix.' }),
  }),
});

builder.queryField('testClock', (t) =>
  t.field({
    type: TestClockObject,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, _args, ctx) => testClock(ctx),
  }),
);

builder.mutationFields((t) => ({
  advanceTestClock: t.field({
    type: TestClockObject,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: AdvanceClockInput }) },
    ...facts({ errors: [TestModeOnly, StateConflict] }),
    resolve: (_root, { input }, ctx) =>
      once(
        ctx,
        () => advanceClock(ctx, input),
        () => testClock(ctx),
      ),
  }),
  triggerEvent: t.prismaField({
    type: 'Event',
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: TriggerEventInput }) },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (query, _root, { input }, ctx) =>
      once(
        ctx,
        async () => event(ctx, (await triggerEvent(ctx, input)).id, query),
        (id) => event(ctx, id, query),
      ),
  }),
}));
