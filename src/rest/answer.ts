// What REST shows of a type: the selection of an answer, as a document spells it. A type that stands at two places is a fragment, and so
// a schema of its own in openapi.json.
import {
  type DefinitionNode,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  visit,
} from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import type { WireOptions } from '../platform/schema/route.js';
import { snakeCase } from '../platform/snake-case.js';

type Field = GraphQLField<unknown, Ctx>;

const wireOf = ({ extensions }: Field): WireOptions => (extensions['pothosOptions'] as { wire?: WireOptions } | undefined)?.wire ?? {};

/** Relations are left out, and what needs an argument; a field says so itself where it is otherwise. */
const isShown = (field: Field) => wireOf(field).shown ?? (field.args.length === 0 && field.extensions['visible'] !== true);

/** The fields of a type that REST shows, in the order of an answer. */
function shownFields(type: GraphQLObjectType): Field[] {
  const fields: Field[] = Object.values(type.getFields()).filter(isShown);
  const order = fields.filter((field) => wireOf(field).after === undefined);
  for (const field of fields) {
    const { after } = wireOf(field);
    if (after === undefined) continue;
    const before = order.findIndex(({ name }) => name === after);
    if (before < 0) throw new Error(`${type.name}.${field.name}: there is no ${after} that it could follow`);
    order.splice(before + 1, 0, field);
  }
  return order;
}

function objectOf(type: GraphQLNamedOutputType, place: string): GraphQLObjectType {
  if (!isObjectType(type)) throw new Error(`${place}: ${type.name} has no form on the wire: write the operation into a rest.graphql`);
  return type;
}

/** An answer of an operation: its type, where it stands, and what it shows beside. */
export interface Answer {
  type: GraphQLNamedOutputType;
  /** `Query.task`. */
  place: string;
  /** The member that is called `data`, or true: the object itself is the answer. */
  body: string | true | undefined;
  also: readonly string[];
}

/** The selections of the answers of a schema. */
export class Answers {
  /** Fragments that somebody wrote by hand, and those that hand-written documents spread. */
  readonly #written = new Set<string>();
  readonly #spread = new Set<string>();
  /** Where each type is shown. */
  readonly #places = new Map<GraphQLObjectType, Set<string>>();

  constructor(schema: GraphQLSchema, answers: readonly Answer[], written: readonly DefinitionNode[]) {
    for (const definition of written) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#written.add(definition.name.value);
      visit(definition, { FragmentSpread: ({ name }) => void this.#spread.add(name.value) });
    }
    for (const name of this.#spread) {
      const type = schema.getType(name);
      if (isObjectType(type)) this.#note(type, 'a rest.graphql');
    }
    for (const { type, place, body, also } of answers) {
      const object = objectOf(type, place);
      if (body === undefined) this.#note(object, place);
      else this.#noteFields(object, shownFields(object));
      this.#noteFields(object, this.#others(object, place, also));
    }
  }

  /** The selection of an answer. */
  selection({ type, place, body, also }: Answer): string {
    const object = objectOf(type, place);
    const others = this.#others(object, place, also).map((field) => this.#member(field));
    if (body === undefined) return this.#object(object, others);
    const fields = shownFields(object);
    if (body !== true && !fields.some(({ name }) => name === body)) throw new Error(`${place}: ${object.name} shows no ${body}`);
    return `{ ${[...fields.map((field) => this.#member(field, field.name === body ? 'data' : undefined)), ...others].join(' ')} }`;
  }

  /** The fragments that are not written by hand, in order of their names. */
  fragments(): { name: string; text: string }[] {
    return [...this.#places.keys()]
      .filter((type) => this.#isFragment(type) && !this.#written.has(type.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((type) => ({ name: type.name, text: `fragment ${type.name} on ${type.name} ${this.#members(type)}` }));
  }

  #others(type: GraphQLObjectType, place: string, also: readonly string[]): Field[] {
    return also.map((name) => {
      const field = type.getFields()[name];
      if (field === undefined) throw new Error(`${place}: ${type.name} has no field ${name}`);
      return field;
    });
  }

  #note(type: GraphQLObjectType, place: string): void {
    const places = this.#places.get(type);
    if (places !== undefined) {
      places.add(place);
      return;
    }
    this.#places.set(type, new Set([place]));
    if (!this.#written.has(type.name)) this.#noteFields(type, shownFields(type));
  }

  #noteFields(parent: GraphQLObjectType, fields: readonly Field[]): void {
    for (const field of fields) {
      const type = getNamedType(field.type);
      const place = `${parent.name}.${field.name}`;
      if (!isLeafType(type) && wireOf(field).fragment === undefined) this.#note(objectOf(type, place), place);
    }
  }

  /** Where a type is a fragment by its own word, the number of its places says nothing. */
  #isFragment(type: GraphQLObjectType): boolean {
    const { component } = type.extensions as { component?: boolean };
    return this.#written.has(type.name) || (component ?? (this.#spread.has(type.name) || (this.#places.get(type)?.size ?? 0) > 1));
  }

  #object(type: GraphQLObjectType, others: readonly string[] = []): string {
    if (!this.#isFragment(type)) return this.#members(type, others);
    return `{ ${[`...${type.name}`, ...others].join(' ')} }`;
  }

  #members(type: GraphQLObjectType, others: readonly string[] = []): string {
    return `{ ${[...shownFields(type).map((field) => this.#member(field)), ...others].join(' ')} }`;
  }

  #member(field: Field, alias?: string): string {
    const { orNull, name, fragment } = wireOf(field);
    const type = getNamedType(field.type);
    const wire = alias ?? name ?? snakeCase(field.name);
    const selection = fragment !== undefined ? ` { ...${fragment} }` : isObjectType(type) ? ` ${this.#object(type)}` : '';
    return `${wire === field.name ? '' : `${wire}: `}${field.name}${orNull ? ' @orNull' : ''}${selection}`;
  }
}
