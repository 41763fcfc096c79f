// What a tool takes and answers, as JSON Schemas that stand alone: made of the operation that it runs, like openapi.json.

import type { JsonSchema } from '../platform/schema/scalar.js';
import { boundsOf } from '../platform/schema/validation.js';
import { SchemaComponents } from '../rest/json-schema.js';
import { type Route, takesKey } from '../rest/routes.js';
import type { Tool } from './tool.js';

/** The most seconds that a call may wait: clients give up after a minute. */
export const mostWaitSeconds = 50;

/** Names that tools have beside the members of their operations. */
export const keyMember = 'idempotency_key';
export const waitMember = 'timeout_seconds';

const key: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Your own name for this call, such as "invoice-7". Made again with the same key and arguments within 24 hours, after an error or a timeout, it has one effect. Without a key a call that is made again is another call.',
};
const requiredKey: JsonSchema = {
  ...key,
  description:
    'Your own name for this call, such as "invoice-7": nothing else names it. Made again with the same key and arguments within 24 hours, after an error or a timeout, it has one effect. Another call needs another key.',
};
const wait: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: mostWaitSeconds,
  default: mostWaitSeconds,
  description: 'How long to wait.',
};

/** What a tool takes. Throws for a member that its operation does not have. */
export function inputSchema(route: Route, { name, takes, requires = [], isWaiting }: Tool): JsonSchema {
  const components = new SchemaComponents();
  const members = new Map<string, JsonSchema>();
  const required = new Set(requires);
  for (const { wire, type, source, argument, defaultValue, required: isRequired } of route.variables) {
    if (source === 'body') {
      const body = componentOf(components.text(type), components);
      for (const [member, schema] of Object.entries(body['properties'] as Record<string, JsonSchema>)) members.set(member, schema);
      for (const member of (body['required'] as string[] | undefined) ?? []) required.add(member);
      continue;
    }
    const schema = components.text(type, argument === undefined ? [] : boundsOf(argument));
    const description = argument?.description;
    members.set(wire, { ...schema, ...(description && { description }), ...(defaultValue !== undefined && { default: defaultValue }) });
    if (isRequired) required.add(wire);
  }
  const taken = takes.map((member): [string, JsonSchema] => {
    const schema = members.get(member);
    if (schema === undefined) throw new Error(`the tool ${name} takes ${member}, which ${route.name} does not have`);
    return [member, schema];
  });
  const properties: Record<string, JsonSchema> = Object.fromEntries(taken);
  if (takesKey(route)) properties[keyMember] = key;
  if (isWaiting !== undefined) properties[waitMember] = wait;
  const schema = { type: 'object', properties, required: takes.filter((member) => required.has(member)), additionalProperties: false };
  return standingAlone(schema, components);
}

/** What a tool takes whose calls have to bring their key. */
export function withRequiredKey(input: JsonSchema): JsonSchema {
  const { properties, required } = input as { properties: Record<string, JsonSchema>; required: string[] };
  return { ...input, properties: { ...properties, [keyMember]: requiredKey }, required: [...required, keyMember] };
}

/** What a tool answers: the body that REST has for the operation. */
export function outputSchema({ shape, wrapped }: Route): JsonSchema {
  const components = new SchemaComponents();
  const schema = components.output(shape);
  if (wrapped) return standingAlone({ type: 'object', properties: { data: schema }, required: ['data'] }, components);
  return standingAlone(componentOf(schema, components), components);
}

const prefix = '#/components/schemas/';

function componentOf(schema: JsonSchema, components: SchemaComponents): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (components.all()[$ref.slice(prefix.length)] as JsonSchema) : schema;
}

/** `schema` with the components that it leads to, and without examples: a model reads all of it. */
function standingAlone(schema: JsonSchema, components: SchemaComponents): JsonSchema {
  const all = components.all();
  const $defs: Record<string, JsonSchema> = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
        if (name === 'examples') return [];
        if (name === '$ref') return [[name, `#/$defs/${define(String(member).slice(prefix.length))}`]];
        return [[name, name === 'properties' ? visitMembers(member as Record<string, unknown>) : visit(member)]];
      }),
    );
  };
  const visitMembers = (members: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, visit(member)]));
  const define = (name: string): string => {
    if ($defs[name] !== undefined) return name;
    // A type may contain itself: its name is taken before it is looked at.
    $defs[name] = {};
    $defs[name] = visit(all[name]) as JsonSchema;
    return name;
  };
  const whole = visit(schema) as JsonSchema;
  return Object.keys($defs).length === 0 ? whole : { ...whole, $defs };
}
