// The inputs of the circuit breaker.
import { z } from 'zod';
import { BreakerAction } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { detectorKinds } from './detector.js';

export const BreakerActionEnum = builder.enumType(BreakerAction, {
  name: 'BreakerAction',
  description:
    '`freeze`: the agent is frozen. `approve`: its spends need an approval for an hour. `notify`: the trip is only recorded and shown.',
});
export const DetectorKindEnum = builder.enumType('DetectorKind', {
  description:
    '`same_payment`: equal payments. `failures`: refused spends. `rate`: more spends than usual. `ping_pong`: money going back and forth.',
  values: detectorKinds,
});
const bounded = (least: number, most: number) => z.int().min(least).max(most);

export const BreakerDetectorInput = builder.inputType('BreakerDetectorInput', {
  description: 'A detector of the runaway breaker.',
  fields: (t) => ({
    kind: t.field({ type: DetectorKindEnum, description: 'What it looks for.' }),
    action: t.field({
      type: BreakerActionEnum,
      description: 'What happens then: freeze the agent, require an approval of its spends for an hour, or only record it.',
    }),
    count: t.int({
      required: false,
      description: 'How many within `seconds` trip it; not for `rate`.',
      validate: bounded(2, 1_000),
      extensions: { example: 3 },
    }),
    seconds: t.int({
      required: false,
      description: 'Length of the window in seconds; not for `rate`.',
      validate: bounded(1, 86_400),
      extensions: { example: 60 },
    }),
    factor: t.float({
      required: false,
      description: 'For `rate` only: how many times the median minute of the last 24 hours trips it.',
      validate: z.number().min(2).max(1_000),
      extensions: { example: null },
    }),
  }),
});
export type BreakerDetectorInput = typeof BreakerDetectorInput.$inferInput;

export const BreakersInput = builder.inputType('BreakersInput', {
  description: 'The detectors of the runaway breaker.',
  fields: (t) => ({
    detectors: t.field({
      type: [BreakerDetectorInput],
      description: 'At most one of each kind; they replace those before. An empty list turns the breaker off.',
      validate: z.array(z.unknown()).max(2 * detectorKinds.length),
    }),
  }),
});
