// Runs the operation of a route. Queries and mutations are compiled by graphql-jit, when first asked for, behind one function
// `(ctx, variables) -> result`; the plain executor is the oracle that a test compares it with (ARCHITECTURE.md 3).
import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Ctx } from '../platform/ctx.js';
import { ApiError } from '../platform/errors.js';
import type { Route } from './routes.js';

type Result = ExecutionResult<Record<string, unknown>>;
/** Runs an operation with variables in JSON terms. */
export type Execute = (ctx: Ctx, variables: Readonly<Record<string, unknown>>) => Result | PromiseLike<Result>;

/** A route belongs to one schema, and each listener asks for its executor. */
const executors = new WeakMap<Route, Execute>();

/** The executor of a query or mutation, compiled once. Throws when it cannot be: test/executors.test.ts compiles every one. */
export function compileExecutor(schema: GraphQLSchema, route: Route): Execute {
  const known = executors.get(route) ?? compile(schema, route);
  executors.set(route, known);
  return known;
}

/** graphql-jit unrolls input types, so an operation with one that contains itself is left to graphql-js. */
function compile(schema: GraphQLSchema, route: Route): Execute {
  const { document, name, variables } = route;
  if (variables.some(({ type }) => isRecursive(getNamedType(type)))) return executePlain(schema, route);
  const compiled = compileQuery<Record<string, unknown>>(schema, document, name);
  if (!isCompiledQuery(compiled))
    throw new Error(`${name} cannot be compiled: ${compiled.errors?.map(({ message }) => message).join('; ')}`);
  return (ctx, variables) => compiled.query(undefined, ctx, variables) as Result | PromiseLike<Result>;
}

function isRecursive(type: GraphQLNamedInputType, outer: readonly GraphQLNamedInputType[] = []): boolean {
  if (!isInputObjectType(type)) return false;
  return outer.includes(type) || Object.values(type.getFields()).some((field) => isRecursive(getNamedType(field.type), [...outer, type]));
}

/** The same through graphql-js, many times slower: for comparison. */
export function executePlain(schema: GraphQLSchema, { document, name }: Route): Execute {
  return (ctx, variables) => {
    const result = execute({ schema, document, operationName: name, contextValue: ctx, variableValues: variables });
    return result as Result | PromiseLike<Result>;
  };
}

/** Subscribes: the source of the events, as the resolver made it. Throws what the resolver threw. */
export async function subscribe(
  schema: GraphQLSchema,
  { document, name }: Route,
  ctx: Ctx,
  variables: Readonly<Record<string, unknown>>,
): Promise<AsyncIterable<unknown>> {
  const source = await createSourceEventStream({
    schema,
    document,
    operationName: name,
    contextValue: ctx,
    variableValues: variables,
  });
  if (Symbol.asyncIterator in source) return source;
  throw failureOf(source.errors ?? []);
}

/**
 * What an operation failed with: our own error as it was thrown, else the one that a resolver threw, else the executor's.
 * Variables were checked before, so a coercion error is a fault of ours like any other.
 */
export function failureOf(errors: readonly GraphQLError[]): unknown {
  const thrown = errors.map(originOf);
  return thrown.find((error) => error instanceof ApiError) ?? thrown.find((error) => !(error instanceof GraphQLError)) ?? thrown[0];
}

function originOf(error: GraphQLError): unknown {
  let origin: unknown = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}
