// The GraphQL face of the test clock and of test events.
import { StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { event } from '../events/event.js';
import { Event } from '../events/event.schema.js';
import { advanceClock, type TestClock, testClock } from './clock.js';
import { rest } from './rest.js';
import { AdvanceClockInput, TriggerEventInput } from './sandbox.input.js';
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

builder.queryField('testClock', (t) =>
  t.field({
    route: rest('GET /v1/test/clock', 'Read the test clock.'),
    type: TestClockObject,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, _args, ctx) => testClock(ctx),
  }),
);

builder.mutationFields((t) => ({
  advanceTestClock: t.field({
    route: rest('POST /v1/test/clocks/advance', 'Advance the test clock: what is due on the way happens in the order of its time.'),
    type: TestClockObject,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: AdvanceClockInput }) },
    ...facts({ errors: [TestModeOnly, StateConflict] }),
    resolve: once(
      (ctx, { input }) => advanceClock(ctx, input),
      (ctx) => testClock(ctx),
    ),
  }),
  triggerEvent: t.field({
    route: rest('POST /v1/test/events/trigger', 'Emit a test event.', { status: 201 }),
    type: Event,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: TriggerEventInput }) },
    ...facts({ errors: [TestModeOnly] }),
    resolve: once((ctx, { input }) => triggerEvent(ctx, input), event),
  }),
}));
