// The inputs of card instructions.
import { CardInstructionStatus, CardInstructionType } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const StatusEnum = builder.enumType(CardInstructionStatus, { name: 'CardInstructionStatus' });
export const TypeEnum = builder.enumType(CardInstructionType, { name: 'CardInstructionType' });

export const CreateCardInstructionInput = builder.inputType('CreateCardInstructionInput', {
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid' }),
    type: t.field({ type: TypeEnum, required: false, description: 'authorize by default.' }),
    payload: t.field({
      type: 'JSONObject',
      description:
        'For the network. An authorization names its verification as `network_ref`; a cancellation and a refund name the authorization as `instruction_id`, a refund also an `amount` (by default all that is left).',
      extensions: { example: { network_ref: 'tap_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' } },
    }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreateCardInstructionInput = typeof CreateCardInstructionInput.$inferInput;
