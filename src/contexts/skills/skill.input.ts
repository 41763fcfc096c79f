// The inputs of skills.
import { builder } from '../../platform/schema/builder.js';
import { skillDescription, skillId, skillName, skillTags } from '../agents/skill-input.js';

const SkillPriceInput = builder.inputType('SkillPriceInput', {
  description: 'A price per task.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'What a task costs, in `currency`.' }),
    currency: t.field({ type: 'Currency' }),
  }),
});

export const CreateSkillInput = builder.inputType('CreateSkillInput', {
  description: 'A new skill.',
  fields: (t) => ({
    id: t.string({
      description: 'Id by which tasks name it, unique for the agent.',
      validate: skillId,
      extensions: { example: 'translate' },
    }),
    name: t.string({ description: 'Name of the skill.', validate: skillName, extensions: { example: 'Translate' } }),
    description: t.string({
      description: 'What the skill does.',
      validate: skillDescription,
      extensions: { example: 'Translates a text into another language.' },
    }),
    tags: t.stringList({ required: false, description: 'Words by which it can be found.', validate: skillTags }),
    inputSchema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema that the payload of a task has to match.' }),
    outputSchema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema that the deliverable of a task has to match.' }),
    price: t.field({ type: SkillPriceInput, required: false, description: 'What a task costs; nothing by default.' }),
  }),
});

export const UpdateSkillInput = builder.inputType('UpdateSkillInput', {
  description: 'Changes of a skill. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name.', validate: skillName }),
    description: t.string({
      required: false,
      description: 'New description.',
      validate: skillDescription,
      extensions: { example: 'Translates up to 10,000 characters.' },
    }),
    tags: t.stringList({ required: false, description: 'New tags, which replace those before.', validate: skillTags }),
    inputSchema: t.field({ type: 'JSONObject', required: false, description: 'New JSON Schema of the payload; null removes it.' }),
    outputSchema: t.field({ type: 'JSONObject', required: false, description: 'New JSON Schema of the deliverable; null removes it.' }),
    price: t.field({ type: SkillPriceInput, required: false, description: 'New price; null removes it.' }),
  }),
});
export type UpdateSkillInput = typeof UpdateSkillInput.$inferInput;
