// Where REST serves a root field, and how it shows the fields of an answer: options that stand beside the resolver. The operations are
// printed from them (src/rest/print.ts), and `npm run schema` writes down what was printed.
import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** What the reference sorts operations by: the folder of a context, and what it is about. */
export interface RouteContext {
  name: string;
  about: string;
}

interface RouteOptions {
  /** 200 by default. */
  status?: number;
  /** Name of a query flag that selects this operation among those of one path. */
  when?: string;
  /** Name of the operation. By default that of a mutation, `listTasks` for the query `tasks` and `getTask` for `task`. */
  name?: string;
  /** Arguments that the wire spells in another way: `{ agentId: 'id' }`. */
  names?: Readonly<Record<string, string>>;
  /** The answer is no `{ data }` but the object itself, whose member of this name is `data`. `true`: none is. Pages need not say it. */
  body?: string | true;
  /** Member of the answer that, where it is there, makes it a 202: what was asked for waits, as for an approval. */
  accepted?: string;
  // Gap G-313: The same voucher again is 200 with `repeated: true` beside `data`.
  /** Member of the answer that, where it is true, makes it a 200: what was asked for was there before. */
  existing?: string;
  /** Fields that are shown at the end of the answer, though the type leaves them out. */
  also?: readonly string[];
}

/** The route of a root field. */
export interface FieldRoute extends RouteOptions {
  context: RouteContext;
  /** `POST /v1/wallets/{id}/freeze`. */
  at: string;
  /** Of the operation in the reference; by default the description of the field. */
  summary?: string | undefined;
}

/**
 * How REST shows a field of a type, where that is not the rule: every field without arguments that is no relation, in its order. A type is
 * a schema of its own in openapi.json where it stands at two places, or as its `extensions: { component }` say.
 */
export interface WireOptions {
  /** False leaves it out, true shows a relation. */
  shown?: boolean;
  /** Its null is sent. */
  orNull?: true;
  /** Its name, where that is not the one of the field in snake_case. */
  name?: string;
  /** The field that it follows, where that is not the one before it. */
  after?: string;
  /** A fragment of a rest.graphql file that shows its object. */
  fragment?: string;
}

declare global {
  namespace PothosSchemaTypes {
    interface FieldOptions<
      Types extends SchemaTypes,
      ParentShape,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > {
      route?: FieldRoute;
      wire?: WireOptions;
    }
  }
}

/** The routes of a context: `rest('GET /v1/tasks/{id}', 'Read a task.')` is the option `route` of a field. */
export function routesOf(name: string, about: string) {
  const context = { name, about };
  return (at: `${Method} /${string}`, summary?: string, options: RouteOptions = {}): FieldRoute => ({ context, at, summary, ...options });
}
