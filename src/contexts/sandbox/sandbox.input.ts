// The inputs of the sandbox: its clock and its test events.
import { z } from 'zod';
import { maxAdvanceSeconds } from '../../platform/clock.js';
import { builder } from '../../platform/schema/builder.js';

export const AdvanceClockInput = builder.inputType('AdvanceClockInput', {
  description: 'Either `to` or `seconds`.',
  fields: (t) => ({
    to: t.field({ type: 'DateTime', required: false, description: 'After the present time of the clock, at most five years.' }),
    seconds: t.int({
      required: false,
      description: 'So far ahead, at most five years.',
      validate: z.int().min(1).max(maxAdvanceSeconds),
      extensions: { example: 3600 },
    }),
  }),
});
export type AdvanceClockInput = typeof AdvanceClockInput.$inferInput;

export const TriggerEventInput = builder.inputType('TriggerEventInput', {
  fields: (t) => ({
    type: t.string({ description: 'A type of the catalog.', extensions: { example: 'transfer.completed' } }),
    data: t.field({ type: 'JSONObject', required: false, description: 'Members that replace those of the example.' }),
    objectId: t.string({ required: false, description: 'Id of what it is about, bare or with its prefix.' }),
  }),
});
export type TriggerEventInput = typeof TriggerEventInput.$inferInput;
