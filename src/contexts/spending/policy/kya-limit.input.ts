// The inputs of the limits of KYA tiers.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

/** Four tiers in every currency. */
export const mostCaps = 32;

export const KyaLimitInput = builder.inputType('KyaLimitInput', {
  fields: (t) => ({
    tier: t.int({ validate: z.int().min(0).max(3) }),
    currency: t.field({ type: 'Currency' }),
    perTx: t.field({ type: 'Amount', required: false }),
    perDay: t.field({ type: 'Amount', required: false }),
    perMonth: t.field({ type: 'Amount', required: false }),
  }),
});
export type KyaLimitInput = typeof KyaLimitInput.$inferInput;

export const KyaLimitsInput = builder.inputType('KyaLimitsInput', {
  fields: (t) => ({
    tiers: t.field({
      type: [KyaLimitInput],
      description: 'One line per tier and currency; they replace the ones before.',
      validate: z.array(z.unknown()).max(mostCaps),
    }),
  }),
});
