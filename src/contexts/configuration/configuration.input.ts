// The inputs of configurations. The document is read by its kinds (document.ts), each member at the edge of its own endpoint.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

const config = 'Settings by kind, as `GET /v1/config` shows them. Members are those of each endpoint, with references where ids stand.';
const source = 'Whose file it is, such as the name of a repository; `default` by default. Things belong to the source that applied them.';
const prune = 'Also delete what this source made and the document does not name any more.';
const sourceText = z.string().regex(/^[\w.:/@-]{1,100}$/, 'must have 1 to 100 letters, digits or . : / @ - _');

export const DiffConfigInput = builder.inputType('DiffConfigInput', {
  description: 'A configuration to compare with what is set up.',
  extensions: { example: { config: { approval_notices: { mail: true } } } },
  fields: (t) => ({
    config: t.field({ type: 'JSON', description: config }),
    source: t.string({ required: false, description: source, validate: sourceText }),
    prune: t.boolean({ required: false, description: prune }),
  }),
});
export type DiffConfigInput = typeof DiffConfigInput.$inferInput;

export const ApplyConfigInput = builder.inputType('ApplyConfigInput', {
  description: 'A configuration to apply.',
  extensions: { example: { config: { approval_notices: { mail: true } } } },
  fields: (t) => ({
    config: t.field({ type: 'JSON', description: config }),
    source: t.string({ required: false, description: source, validate: sourceText }),
    prune: t.boolean({ required: false, description: prune }),
    plan: t.string({
      required: false,
      description: 'The plan that somebody has seen: 409 where anything else would be done now.',
      validate: z.string().max(64),
    }),
  }),
});
export type ApplyConfigInput = typeof ApplyConfigInput.$inferInput;
