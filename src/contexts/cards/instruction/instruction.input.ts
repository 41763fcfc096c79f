// The inputs of card instructions.
import { CardInstructionStatus, CardInstructionType } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const StatusEnum = builder.enumType(CardInstructionStatus, {
  name: 'CardInstructionStatus',
  description:
    '`pending`: queued or waits for an approval. `submitted`: sent to the network. `approved`, `declined`, `failed` and `cancelled`: final.',
});
export const TypeEnum = builder.enumType(CardInstructionType, {
  name: 'CardInstructionType',
  description: '`authorize`: reserve the amount. `cancel`: release it. `refund`: give money back.',
});

export const CreateCardInstructionInput = builder.inputType('CreateCardInstructionInput', {
  description: 'A new instruction to a card network.',
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that pays.' }),
    type: t.field({ type: TypeEnum, required: false, description: 'What the network is asked to do; `authorize` by default.' }),
    payload: t.field({
      type: 'JSONObject',
      description:
        'Details for the network. An authorization names its verification as `network_ref`; a cancellation or refund names the authorization as `instruction_id`, a refund also an `amount` (by default all that is left).',
      extensions: { example: { network_ref: 'tap_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' } },
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse it.',
    }),
  }),
});
export type CreateCardInstructionInput = typeof CreateCardInstructionInput.$inferInput;
