// The committed files that are printed from the code, as it would print them now.
import { fileURLToPath } from 'node:url';
import { printSchema } from 'graphql';
import { doors } from '../src/contexts.js';
import { openApi } from '../src/rest/openapi.js';
import { compileRoutes, loadOperations } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';
import { printAnswers } from './console-answers.js';
import { printGuards } from './guards.js';

const routes = compileRoutes(schema, loadOperations(fileURLToPath(new URL('../src/contexts', import.meta.url))));

/** Their text, by their path. */
export const printed: Readonly<Record<string, string>> = {
  'schema.graphql': `${printSchema(schema)}\n`,
  'openapi.json': `${JSON.stringify(openApi(routes, { doors }), null, 2)}\n`,
  'src/console/answers.ts': printAnswers(schema),
  ...printGuards(),
};
