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

const TestClockStatus = builder.enumType('TestClockStatus', {
  description: '`ready`: stands. `advancing`: on its way to its target.',
  values: ['ready', 'advancing'] as const,
});

const TestClockObject = builder.objectRef<TestClock>('TestClock').implement({
  description: 'The clock of a sandbox.',
  fields: (t) => ({
    id: t.expose('workspaceId', { type: 'TestClockId' }),
    now: t.expose('now', { type: 'DateTime', description: 'The present time of the workspace.' }),
    status: t.expose('status', { type: TestClockStatus }),
    target: t.expose('target', { type: 'DateTime', nullable: true, description: 'Where it is going, while it is advancing; else null.' }),
  }),
});

builder.queryField('testClock', (t) =>
  t.field({
    route: rest('GET /v1/test/clock', 'Read the clock of the sandbox. Sandbox only: in production it is 403 `test_mode_only`.'),
    type: TestClockObject,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, _args, ctx) => testClock(ctx),
  }),
);

builder.mutationFields((t) => ({
  advanceTestClock: t.field({
    route: rest(
      'POST /v1/test/clocks/advance',
      'Advance the clock of the sandbox. What becomes due on the way happens in the order of its time: holds expire, streams flow, rails settle. Sandbox only; while an earlier advance is under way the answer is 409.',
    ),
    type: TestClockObject,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { input: t.arg({ type: AdvanceClockInput }) },
    ...facts({ errors: [TestModeOnly, StateConflict] }),
    resolve: once(
      (ctx, { input }) => advanceClock(ctx, input),
      (ctx) => testClock(ctx),
    ),
  }),
  triggerEvent: t.field({
    route: rest(
      'POST /v1/test/events/trigger',
      'Emit a test event, signed and delivered like a real one. Sandbox only. Announced types can be triggered too; data that does not fit its schema is 400.',
      { status: 201 },
    ),
    type: Event,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { input: t.arg({ type: TriggerEventInput }) },
    ...facts({ errors: [TestModeOnly] }),
    resolve: once((ctx, { input }) => triggerEvent(ctx, input), event),
  }),
}));
