// The inputs of the limits of KYA tiers.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

/** Four tiers in every currency. */
export const mostCaps = 32;

export const KyaLimitInput = builder.inputType('KyaLimitInput', {
  description: 'The caps of one tier in one currency.',
  fields: (t) => ({
    tier: t.int({ description: 'Tier of the agents that it caps, 0 to 3.', validate: z.int().min(0).max(3) }),
    currency: t.field({ type: 'Currency', description: 'The currency of the caps; spends in others are converted, rounded up.' }),
    perTx: t.field({ type: 'Amount', required: false, description: 'The most of one spend; no cap without it.' }),
    perDay: t.field({ type: 'Amount', required: false, description: 'The most per UTC day; no cap without it.' }),
    perMonth: t.field({ type: 'Amount', required: false, description: 'The most per UTC month; no cap without it.' }),
  }),
});
export type KyaLimitInput = typeof KyaLimitInput.$inferInput;

export const KyaLimitsInput = builder.inputType('KyaLimitsInput', {
  description: 'The caps of all KYA tiers.',
  fields: (t) => ({
    tiers: t.field({
      type: [KyaLimitInput],
      description: 'One line per tier and currency; they replace those before.',
      validate: z.array(z.unknown()).max(mostCaps),
    }),
  }),
});
