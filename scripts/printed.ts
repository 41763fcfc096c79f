// The committed files that are printed from the code, as it would print them now.
import { fileURLToPath } from 'node:url';
import { parse, print, printSchema } from 'graphql';
import { printPackSchema } from '../src/contexts/evidence/pack-shape.js';
import { manifest } from '../src/contexts.js';
import answers from '../src/rest/answers.json' with { type: 'json' };
import { openApi } from '../src/rest/openapi.js';
import { printOperations } from '../src/rest/print.js';
import { compileRoutes, definitionsOf, loadOperations } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';
import { printAnswers } from './console-answers.js';
import { printGaps } from './gaps.js';
import { printGuards } from './guards.js';
import { printLifecycles } from './lifecycles.js';
import { printScalars } from './scalar-types.js';
import { printInputs } from './ucp-input.js';
import { printProtocols } from './versions.js';

const written = loadOperations(fileURLToPath(new URL('../src/contexts', import.meta.url)));
const routes = compileRoutes(schema, written);

/** Their text, by their path. */
export const printed: Readonly<Record<string, string>> = {
  'schema.graphql': `${printSchema(schema)}\n`,
  'graphql/scalars.ts': printScalars(schema),
  'operations.graphql': printRoutes(),
  'openapi.json': `${JSON.stringify(openApi(routes, { doors: manifest.doors, answers }), null, 2)}\n`,
  'docs/lifecycles.md': printLifecycles(manifest.nouns),
  'docs/protocols.md': printProtocols(),
  'docs/spec-gaps.md': printGaps(),
  'src/console/answers.ts': printAnswers(schema),
  'verify/pack.schema.json': printPackSchema(),
  ...printGuards(),
  ...printInputs(),
};

/** The operations of the routes that stand on fields, by context, after the fragments that they share. */
function printRoutes(): string {
  const parts = new Map([
    ['Printed by `npm run schema` from the routes of fields. First what is shown of types, then the operations.', ''],
  ]);
  for (const { text, context } of printOperations(schema, written.flatMap(definitionsOf))) {
    const title = context === undefined ? ([...parts.keys()][0] ?? '') : `${context.name}: ${context.about}`;
    parts.set(title, `${parts.get(title) ?? ''}\n${print(parse(text))}\n`);
  }
  return [...parts].map(([title, text]) => `# ${title}\n${text}`).join('\n');
}
