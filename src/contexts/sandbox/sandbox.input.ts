// The inputs of the sandbox: its clock and its test events.
import { z } from 'zod';
import { maxAdvanceSeconds } from '../../platform/clock.js';
import { builder } from '../../platform/schema/builder.js';

export const AdvanceClockInput = builder.inputType('AdvanceClockInput', {
  description: 'How far the clock is advanced: either `to` or `seconds`.',
  fields: (t) => ({
    to: t.field({
      type: 'DateTime',
      required: false,
      description: 'New time of the clock, after the present one and at most five years ahead.',
    }),
    seconds: t.int({
      required: false,
      description: 'Seconds to advance by, at most five years.',
      validate: z.int().min(1).max(maxAdvanceSeconds),
      extensions: { example: 3600 },
    }),
  }),
});
export type AdvanceClockInput = typeof AdvanceClockInput.$inferInput;

export const TriggerEventInput = builder.inputType('TriggerEventInput', {
  description: 'A test event.',
  fields: (t) => ({
    type: t.string({ description: 'A type of `GET /v1/webhooks/events`.', extensions: { example: 'transfer.completed' } }),
    data: t.field({ type: 'JSONObject', required: false, description: "Members that replace those of the type's example." }),
    objectId: t.string({ required: false, description: 'Id of what the event is about, bare or with its prefix.' }),
  }),
});
export type TriggerEventInput = typeof TriggerEventInput.$inferInput;
