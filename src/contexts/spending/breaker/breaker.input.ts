// The inputs of the circuit breaker.
import { z } from 'zod';
import { BreakerAction } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { detectorKinds } from './detector.js';

export const BreakerActionEnum = builder.enumType(BreakerAction, { name: 'BreakerAction' });
export const DetectorKindEnum = builder.enumType('DetectorKind', { values: detectorKinds });
const bounded = (least: number, most: number) => z.int().min(least).max(most);

export const BreakerDetectorInput = builder.inputType('BreakerDetectorInput', {
  fields: (t) => ({
    kind: t.field({ type: DetectorKindEnum }),
    action: t.field({ type: BreakerActionEnum, description: 'freeze the agent, have its spends approved for an hour, or only record it.' }),
    count: t.int({ required: false, description: 'Not of `rate`.', validate: bounded(2, 1_000), extensions: { example: 3 } }),
    seconds: t.int({ required: false, description: 'Not of `rate`.', validate: bounded(1, 86_400), extensions: { example: 60 } }),
    factor: t.float({
      required: false,
      description: 'Of `rate` alone.',
      validate: z.number().min(2).max(1_000),
      extensions: { example: null },
    }),
  }),
});
export type BreakerDetectorInput = typeof BreakerDetectorInput.$inferInput;

export const BreakersInput = builder.inputType('BreakersInput', {
  fields: (t) => ({
    detectors: t.field({
      type: [BreakerDetectorInput],
      description: 'At most one of a kind; they replace the ones before. None: the breaker is off.',
      validate: z.array(z.unknown()).max(2 * detectorKinds.length),
    }),
  }),
});
