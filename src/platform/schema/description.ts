// What every place of the schema says of itself: its own text, else that of its name or type, which is written here once; then the unit.
// A root field says what its route says. test/openapi-lint.test.ts names what says nothing.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { snakeCase } from '../snake-case.js';
import type { FieldRoute } from './route.js';

/** Of members that mean the same wherever they stand, by the type that they have there. */
const shared: Readonly<Record<string, { type: RegExp; text: string }>> = {
  id: { type: /(Id|Uuid)$/, text: 'Its identifier, given when it is made and never changed.' },
  createdAt: { type: /^DateTime$/, text: 'When it was made.' },
  updatedAt: { type: /^DateTime$/, text: 'When it last changed.' },
  amount: { type: /^Amount$/, text: 'In the currency that stands beside it.' },
  currency: { type: /^Currency$/, text: 'The currency of the amounts beside it, such as USD or USDC.' },
  metadata: { type: /^JSONObject$/, text: 'JSON object of the caller’s own: stored and answered as it is, and read by nothing.' },
  deleted: { type: /^Boolean$/, text: 'Always true: what had this id no longer counts.' },
  code: { type: /^String$/, text: 'What went wrong, as a word for programs in lower snake case.' },
  message: { type: /^String$/, text: 'What went wrong, as a sentence for people; its wording may change.' },
};

/** Of values that are written in one way everywhere; left out where a text says it already. */
const units: Readonly<Record<string, string>> = {
  DateTime: 'RFC 3339 in UTC.',
  Amount: 'A decimal string.',
  SignedAmount: 'A decimal string, below zero with a minus.',
  Cents: 'A whole number.',
};

type Described = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField;

/** Gives every field, argument and member of a schema without a text of its own the one of its kind. */
export function describe(schema: GraphQLSchema): GraphQLSchema {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) say(field, textOf(field));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const isRoot = roots.some((root) => root === type);
      if (isRoot) field.description ??= routeOf(field)?.summary;
      else say(field, textOf(field));
      for (const argument of field.args) say(argument, argument.description ?? textOfFilter(argument, field));
    }
  }
  return schema;
}

function say(place: Described, text: string | null | undefined): void {
  const unit = units[getNamedType(place.type as GraphQLOutputType | GraphQLInputType).name];
  place.description = !text || unit === undefined || /RFC 3339|decimal string|whole number/i.test(text) ? text : `${text} ${unit}`;
}

const routeOf = ({ extensions }: Described) => (extensions['pothosOptions'] as { route?: FieldRoute } | undefined)?.route;

function textOf(place: Described): string | null | undefined {
  if (place.description) return place.description;
  const type = getNamedType(place.type as GraphQLOutputType | GraphQLInputType);
  const known = shared[place.name];
  if (known?.type.test(type.name)) return isScalarType(type) && place.name === 'id' ? `${known.text} ${type.description}` : known.text;
  if (isEnumType(type)) return type.description;
  if (place.extensions['visible'] === true && isObjectType(getNullableType(place.type as GraphQLOutputType)))
    return `The object behind the id beside it; null without one, and for those who may not read it.`;
  return undefined;
}

/** An optional argument of a list keeps what has that value. Others are described by their type. */
function textOfFilter({ name, type }: GraphQLArgument, { args }: GraphQLField<unknown, unknown>): string | undefined {
  const isList = args.some((argument) => argument.name === 'after');
  const isFilter = isList && type === getNullableType(type) && !['page', 'limit', 'after'].includes(name);
  return isFilter ? `Only those with this \`${snakeCase(name)}\`.` : undefined;
}
