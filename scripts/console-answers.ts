// Prints src/console/answers.ts: the types of what the console's operations take and answer, from their documents and the schema.
// scripts/schema.ts writes it, or checks it, with schema.graphql.
import {
  type FieldNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
  typeFromAST,
  validate,
} from 'graphql';
import { operations } from '../src/console/operation.js';

/** Scalars that are no string on the wire. */
const scalars: Readonly<Record<string, string>> = {
  Int: 'number',
  Float: 'number',
  Fraction: 'number',
  Boolean: 'boolean',
  Cents: 'number',
  Figure: 'string | number',
  Figures: 'Record<string, string | number>',
  Counts: 'Record<string, number>',
  Amounts: 'Record<string, string>',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
};

type Printable = Parameters<typeof getNamedType>[0];

/** The type of a value, with `named` for what is inside its lists and nulls. */
function wrapped(type: Printable, named: string): string {
  if (isNonNullType(type)) return bare(type.ofType, named);
  return `${bare(type, named)} | null`;
}

function bare(type: Printable, named: string): string {
  if (!isListType(type)) return named;
  const item = wrapped(type.ofType, named);
  return item.includes(' ') ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function leaf(type: Printable): string {
  const named = getNamedType(type);
  const words = isEnumType(named) ? named.getValues().map(({ name }) => `'${name}'`) : [];
  if (words.length > 0) return `(${words.join(' | ')})`;
  return scalars[named?.name ?? ''] ?? 'string';
}

function field(schema: GraphQLSchema, parent: GraphQLOutputType, node: FieldNode, indent: string): string {
  const owner = getNamedType(parent);
  const type = isObjectType(owner) ? owner.getFields()[node.name.value]?.type : undefined;
  if (type === undefined) throw new Error(`${owner.name} has no field ${node.name.value}`);
  const named = node.selectionSet === undefined ? leaf(type) : selection(schema, type, node.selectionSet, indent);
  return `${indent}${(node.alias ?? node.name).value}: ${wrapped(type, named)};`;
}

function selection(schema: GraphQLSchema, parent: GraphQLOutputType, { selections }: SelectionSetNode, indent: string): string {
  if (!isCompositeType(getNamedType(parent))) throw new Error(`${String(parent)} has no fields`);
  const lines = selections.map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error('The console selects fields, without fragments');
    return field(schema, parent, node, `${indent}  `);
  });
  const isFlat = lines.every((line) => !line.includes('{'));
  return isFlat ? `{ ${lines.map((line) => line.trim()).join(' ')} }` : `{\n${lines.join('\n')}\n${indent}}`;
}

function inputType(schema: GraphQLSchema, type: Printable): string {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return leaf(type);
  const members = Object.values(named.getFields()).map(({ name, type: member }) => {
    const optional = isNonNullType(member) ? '' : '?';
    return `${name}${optional}: ${wrapped(member, inputType(schema, member))}`;
  });
  return `{ ${members.join('; ')} }`;
}

function variables(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): string {
  const members = variableDefinitions.map(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as TypeNode as never) as Printable;
    return `${variable.name.value}${isNonNullType(type) ? '' : '?'}: ${wrapped(type, inputType(schema, type))}`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;
}

/** The text of src/console/answers.ts. Throws where a document asks for what the schema does not have. */
export function printAnswers(schema: GraphQLSchema): string {
  const parsed = Object.entries(operations).map(([name, text]) => {
    const document = parse(text);
    const faults = validate(schema, document).map(({ message }) => message);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.name?.value !== name) faults.push(`the operation is not called ${name}`);
    if (faults.length > 0) throw new Error(`src/console/operation.ts, ${name}: ${faults.join('; ')}`);
    return { name, operation: operation as OperationDefinitionNode };
  });
  const answers = parsed.map(({ name, operation }) => {
    const root = schema.getRootType(operation.operation);
    if (root == null) throw new Error(`the schema has no ${operation.operation}`);
    return `  ${name}: ${selection(schema, root, operation.selectionSet, '  ')};`;
  });
  const taken = parsed.map(({ name, operation }) => `  ${name}: ${variables(schema, operation)};`);
  return `// Printed by \`npm run schema\`: what the operations of operation.ts take and answer. Not to be edited.

export interface Variables {
${taken.join('\n')}
}

export interface Answers {
${answers.join('\n')}
}
`;
}
