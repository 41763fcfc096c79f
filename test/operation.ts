// The operations of the API document as requests that can be sent: what is required is filled in, ids are those of real objects.
import type { Json } from './harness.js';
import { document } from './openapi.js';

/** Objects that ids may name, by the noun that the wire uses. */
export type Seeds = Readonly<Record<string, string>>;

/** An operation of the document with references resolved. */
export interface Operation {
  id: string;
  method: string;
  template: string;
  path: readonly string[];
  query: readonly string[];
  headers: readonly string[];
  /** Schema of the body; undefined where there is none. */
  body: Json | undefined;
}

function resolved(schema: Json): Json {
  if (schema?.$ref === undefined) return schema;
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, step: string) => at[step], document);
}

/** True for an operation whose answer is a stream that does not end. */
const streams = (operation: Json) => resolved(operation.responses[200])?.content?.['text/event-stream'] !== undefined;

/** Every operation that the document has, but for streams. */
export function operations(): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([template, item]) =>
    Object.entries<Json>(item).flatMap(([method, operation]) => {
      // A door has a wire of its own, and no document.
      if (streams(operation) || operation['x-graphql'] === undefined) return [];
      const named = (place: string): string[] =>
        (operation.parameters ?? []).map(resolved).flatMap((parameter: Json) => (parameter.in === place ? [parameter.name] : []));
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          template,
          path: named('path'),
          query: named('query'),
          headers: named('header'),
          body: resolved(operation.requestBody?.content?.['application/json']?.schema),
        },
      ];
    }),
  );
}

/** The seed that a member such as `parent_account_id` or `owner_id` names. */
export function seedOf(name: string, seeds: Seeds): string | undefined {
  if (!/(^|_)id$/.test(name)) return undefined;
  const nouns = name.replace(/_?id$/, '').split('_');
  for (let from = 0; from < nouns.length; from += 1) {
    const found = seeds[nouns.slice(from).join('_')];
    if (found !== undefined) return found;
  }
  return nouns.includes('owner') || nouns.includes('object') ? seeds['account'] : undefined;
}

/** A value that the schema takes. `name` is the member's. */
export function exampleOf(given: Json, name: string, seeds: Seeds): Json {
  const schema = resolved(given);
  const seed = seedOf(name, seeds);
  if (seed !== undefined) return seed;
  const type = [schema.type].flat()[0];
  if (schema.properties !== undefined) {
    const required: string[] = schema.required ?? [];
    return Object.fromEntries(required.map((member) => [member, exampleOf(schema.properties[member], member, seeds)]));
  }
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'array') return [exampleOf(schema.items, name, seeds)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return type === 'string' ? 'text' : {};
}

/** Where a member of a body stands, from the top; a number is a place in a list. */
export type Route = readonly (string | number)[];

/** Every member that a body may have, also those inside objects and lists. */
export function membersOf(schema: Json, at: Route = []): { route: Route; schema: Json }[] {
  const own = nonNull(schema);
  if (own?.properties !== undefined) {
    return Object.entries<Json>(own.properties).flatMap(([name, member]) => [
      { route: [...at, name], schema: resolved(member) },
      ...membersOf(member, [...at, name]),
    ]);
  }
  if (own?.items !== undefined) return [{ route: [...at, 0], schema: resolved(own.items) }, ...membersOf(own.items, [...at, 0])];
  return [];
}

/** What a schema is when it is not null. */
function nonNull(given: Json): Json {
  const schema = resolved(given);
  return resolved(schema?.anyOf?.find((option: Json) => option.type !== 'null') ?? schema);
}

/** `body` with `value` at a place, whatever is missing on the way there filled in. */
export function withMember(body: Json, schema: Json, route: Route, value: unknown, seeds: Seeds): Json {
  const [step, ...rest] = route;
  if (step === undefined) return value;
  const own = nonNull(schema);
  if (typeof step === 'number') {
    const [item] = Array.isArray(body) && body.length > 0 ? body : [exampleOf(own.items, '', seeds)];
    return [withMember(item, own.items, rest, value, seeds)];
  }
  const member = own.properties[step];
  const inner = body?.[step] ?? exampleOf(nonNull(member), step, seeds);
  return { ...body, [step]: withMember(inner, member, rest, value, seeds) };
}

/** The path with each parameter spelled by `spell`, by default as the object of its collection. */
export function pathOf(template: string, seeds: Seeds, spell: (name: string, seed: string) => string = (_, seed) => seed): string {
  const steps = template.split('/');
  return steps
    .map((step, at) => {
      const name = /^\{(\w+)\}$/.exec(step)?.[1];
      if (name === undefined) return step;
      const noun = (steps[at - 1] ?? '')
        .replace(/ies$/, 'y')
        .replace(/(?<=ch)es$|s$/, '')
        .replaceAll('-', '_');
      // Of two collections with one name the segment before says which.
      return spell(name, seeds[`${steps[at - 2]}_${noun}`] ?? seeds[noun] ?? seedOf(name, seeds) ?? 'none');
    })
    .join('/');
}
