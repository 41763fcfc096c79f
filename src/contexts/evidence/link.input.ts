// What a link to a pack is made of.
import { z } from 'zod';
import { type PartName, partNames } from '../../platform/audit-leaf.js';
import { builder } from '../../platform/schema/builder.js';

export const EvidencePartEnum = builder.enumType('EvidencePart', {
  description: 'A part of a leaf: what of a payment it says.',
  values: partNames as readonly PartName[],
});

/** Seconds that a link may live. */
const lifetime = { least: 3_600, most: 31_536_000 };

export const CreateEvidenceLinkInput = builder.inputType('CreateEvidenceLinkInput', {
  description: 'A link that shows the pack of a transfer to whoever has it.',
  fields: (t) => ({
    transferId: t.field({ type: 'TransferId', description: 'The transfer, which has to be completed.' }),
    parts: t.field({
      type: [EvidencePartEnum],
      required: false,
      description: 'The parts that it shows, of those that you may see; by default `money`, `offer`, `delivery` and `outcome`.',
      validate: z.array(z.string()).min(1).max(partNames.length),
      extensions: { example: ['money', 'delivery'] },
    }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds after which it ends by itself; 2,592,000 by default, thirty days.',
      validate: z.number().int().min(lifetime.least).max(lifetime.most),
      extensions: { example: 86_400 },
    }),
  }),
});
export type CreateEvidenceLinkInput = typeof CreateEvidenceLinkInput.$inferInput;
