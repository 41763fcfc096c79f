// JSON Schema of what goes over the wire: input types become request bodies, selections become responses, fragments and input
// types become components. Bounds come from the zod schemas of the fields, so that the document says what the walk checks.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { z } from 'zod';
import type { JsonSchema } from '../platform/schema/scalar.js';
import { boundsOf } from '../platform/schema/validation.js';
import { snakeCase } from '../platform/snake-case.js';
import { exampleOfInput } from './example.js';
import { isOptional, type OutputShape } from './output.js';

type Bounds = readonly StandardSchemaV1[];

const builtIn: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
};

/** Schema of a scalar or enum. */
export function leafSchema(type: GraphQLLeafType): JsonSchema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  return builtIn[type.name] ?? { ...(type.extensions['jsonSchema'] as JsonSchema | undefined) };
}

/** The same schema, and null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) };
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...schema, description } : schema;
}

/** `schema` narrowed by what zod knows of the bounds. */
function narrowed(schema: JsonSchema, bounds: Bounds): JsonSchema {
  return bounds.reduce((narrow, bound) => (bound instanceof z.ZodType ? merge(narrow, fromZod(bound)) : narrow), schema);
}

function fromZod(bound: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(bound, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return schema;
}

/** The type is what GraphQL says; the limits of safe integers that zod prints say nothing. */
function merge(schema: JsonSchema, bound: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...schema };
  for (const [key, value] of Object.entries(bound)) {
    if (key === 'type' && schema['type'] !== undefined) continue;
    if (Math.abs(value as number) === Number.MAX_SAFE_INTEGER) continue;
    const both = key === 'items' && typeof schema[key] === 'object' && typeof value === 'object';
    merged[key] = both ? merge(schema[key] as JsonSchema, value as JsonSchema) : value;
  }
  return merged;
}

/** Collects the components of one document while its operations are described. */
export class SchemaComponents {
  readonly #schemas = new Map<string, { origin: unknown; schema: JsonSchema }>();

  /** All components by name, in order of their names. */
  all(): Record<string, JsonSchema> {
    const sorted = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]));
  }

  /** Schema of an input type, with null where the type allows it. */
  input(type: GraphQLInputType, bounds: Bounds = []): JsonSchema {
    if (!isNonNullType(type)) return orNull(this.#inputOf(type, bounds));
    return this.#inputOf(type.ofType, bounds);
  }

  /** Schema of a path, query or header value: there is no null. */
  text(type: GraphQLInputType, bounds: Bounds = []): JsonSchema {
    return this.#inputOf(isNonNullType(type) ? type.ofType : type, bounds);
  }

  #inputOf(type: GraphQLInputType, bounds: Bounds): JsonSchema {
    if (isListType(type)) return narrowed({ type: 'array', items: this.input(type.ofType) }, bounds);
    if (isInputObjectType(type)) return this.#reference(type.name, type, () => this.#inputObject(type));
    return narrowed(leafSchema(type as GraphQLLeafType), bounds);
  }

  #inputObject(type: GraphQLInputObjectType): JsonSchema {
    const fields = Object.values(type.getFields());
    const properties = fields.map((field): [string, JsonSchema] => {
      const schema = described(this.input(field.type, boundsOf(field)), field.description);
      return [snakeCase(field.name), field.defaultValue === undefined ? schema : { ...schema, default: field.defaultValue }];
    });
    const required = fields.filter(isRequiredInputField).map(({ name }) => snakeCase(name));
    const example = exampleOfInput(type);
    const schema: JsonSchema = { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
    if (required.length > 0) schema['required'] = required;
    if (example !== undefined) schema['examples'] = [example];
    return described(schema, type.description);
  }

  /** Schema of a selected field. */
  output(shape: OutputShape): JsonSchema {
    const schema = this.#outputOf(shape.field.type, shape);
    return shape.orNull && !isNonNullType(shape.field.type) ? orNull(schema) : schema;
  }

  #outputOf(type: GraphQLOutputType, shape: OutputShape): JsonSchema {
    if (isNonNullType(type)) return this.#outputOf(type.ofType, shape);
    if (isListType(type)) {
      const items = this.#outputOf(type.ofType, shape);
      return { type: 'array', items: isNonNullType(type.ofType) ? items : orNull(items) };
    }
    const { members, fragment } = shape;
    if (members === undefined) return leafSchema(shape.named as GraphQLLeafType);
    if (fragment === undefined) return this.object(members);
    return this.#reference(fragment, 'fragment', () => described(this.object(members), shape.named.description));
  }

  /** Schema of selected members. */
  object(members: ReadonlyMap<string, OutputShape>): JsonSchema {
    const properties = [...members.values()].map((member): [string, JsonSchema] => {
      return [member.key, described(this.output(member), member.field.description)];
    });
    const required = [...members.values()].filter((member) => !isOptional(member)).map(({ key }) => key);
    return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
  }

  #reference(name: string, origin: unknown, build: () => JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (known === undefined) {
      // A type may contain itself: its name is taken before it is built.
      const component = { origin, schema: {} as JsonSchema };
      this.#schemas.set(name, component);
      component.schema = build();
    } else if (known.origin !== origin) {
      throw new Error(`${name} names both an input type and a fragment: the API document needs one name for each`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}
