// The inputs of skills.
import { builder } from '../../platform/schema/builder.js';
import { skillDescription, skillId, skillName, skillTags } from '../agents/skill-input.js';

const SkillPriceInput = builder.inputType('SkillPriceInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount' }), currency: t.field({ type: 'Currency' }) }),
});

export const CreateSkillInput = builder.inputType('CreateSkillInput', {
  fields: (t) => ({
    id: t.string({
      description: 'How tasks name it; the agent has no other of this id.',
      validate: skillId,
      extensions: { example: 'translate' },
    }),
    name: t.string({ validate: skillName, extensions: { example: 'Translate' } }),
    description: t.string({ validate: skillDescription, extensions: { example: 'Translates a text into another language.' } }),
    tags: t.stringList({ required: false, description: 'Words by which it is found.', validate: skillTags }),
    inputSchema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema of the payload of a task.' }),
    outputSchema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema of what a task delivers.' }),
    price: t.field({ type: SkillPriceInput, required: false, description: 'Left out where nothing is asked for.' }),
  }),
});

export const UpdateSkillInput = builder.inputType('UpdateSkillInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: skillName }),
    description: t.string({ required: false, validate: skillDescription, extensions: { example: 'Translates up to 10,000 characters.' } }),
    tags: t.stringList({ required: false, validate: skillTags }),
    inputSchema: t.field({ type: 'JSONObject', required: false, description: 'Null takes it away.' }),
    outputSchema: t.field({ type: 'JSONObject', required: false, description: 'Null takes it away.' }),
    price: t.field({ type: SkillPriceInput, required: false, description: 'Null takes it away.' }),
  }),
});
export type UpdateSkillInput = typeof UpdateSkillInput.$inferInput;
