// What requests say of the log of a workspace.
import { z } from 'zod';
import type { EvidencePublish } from '../../generated/prisma/client.js';
import { builder } from '../../platform/schema/builder.js';

export const EvidencePublishEnum = builder.enumType('EvidencePublish', {
  description: '`off`: nobody reads the log without a credential. `heads`: its checkpoint is public. `tiles`: its hashes are too.',
  values: ['off', 'heads', 'tiles'] as const satisfies EvidencePublish[],
});

/** Seconds between two events of a head. */
const headEventSeconds = { least: 60, most: 86_400 };

export const UpdateEvidenceLogInput = builder.inputType('UpdateEvidenceLogInput', {
  description: 'What is set of the log of a workspace. What is left out stays as it is.',
  fields: (t) => ({
    publish: t.field({
      type: EvidencePublishEnum,
      required: false,
      description: 'What anybody may read who knows the id of the log; `off` at first.',
    }),
    headEventSeconds: t.int({
      required: false,
      description: 'Seconds, at least, between two `evidence.head` events; 3,600 at first.',
      validate: z.number().int().min(headEventSeconds.least).max(headEventSeconds.most),
    }),
  }),
});
export type UpdateEvidenceLogInput = typeof UpdateEvidenceLogInput.$inferInput;
