// Prints graphql/scalars.ts: what each scalar is in a program of a client, from its JSON Schema.
import { type GraphQLSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import type { JsonSchema } from '../src/platform/schema/scalar.js';

const typeOfWord: Readonly<Record<string, string>> = { string: 'string', integer: 'number', number: 'number' };

function typeOf({ type, enum: words, additionalProperties }: JsonSchema): string {
  if (Array.isArray(words)) return words.map((word) => `'${word}'`).join(' | ');
  if (Array.isArray(type)) return [...new Set(type.map((word: string) => typeOfWord[word]))].sort().join(' | ');
  if (type !== 'object') return typeOfWord[type as string] ?? 'Json';
  const members = typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonSchema) : 'Json';
  return `{ [name: string]: ${members} }`;
}

/** The types of all scalars, as a program has them and as code generators take them. */
export function printScalars(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
    .map(({ name, extensions }) => ({ name, type: typeOf(extensions['jsonSchema'] as JsonSchema) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = types.map(({ name, type }) => `  ${name}: ${JSON.stringify(type.replace(/\bJson\b/, "import('./scalars.js').Json"))},`);
  return `// Printed by \`npm run schema\`: what each scalar of schema.graphql is in TypeScript. Ids are texts, as amounts and points in time are.

/** Free-form JSON. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** For programs that have the types themselves, such as those with gql.tada. */
export interface Scalars {
${types.map(({ name, type }) => `  ${name}: ${type};`).join('\n')}
}

/** For code generators, as text. */
export const scalars = {
${texts.join('\n')}
} as const;
`;
}
