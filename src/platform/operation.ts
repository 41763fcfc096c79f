// Operations of REST, run inside the process: for rules that do what a caller could do by requests, such as applying a configuration. Whoever
// calls is asked for audience and scope as over HTTP, and the input is read at the same edge.
import type { Scope } from './scope.js';

/** What an operation is given: parameters of the path and of the query, and the body in names of the wire. */
export interface OperationRequest {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
}

/** The operations of the schema, by their names (`operationId` of openapi.json). */
export interface Operations<Ctx> {
  /** 400 `validation_failed` for what the edge refuses; nothing is read or changed. */
  check(operation: string, request: OperationRequest): void;
  /** Runs it as the actor of `ctx`: the body of its answer. Throws the error that REST would render. */
  call(ctx: Ctx, operation: string, request: OperationRequest): Promise<Readonly<Record<string, unknown>>>;
  /** The scope that it asks for. */
  scopeOf(operation: string): Scope | 'self';
  /** The members that its body takes, in their order. */
  takes(operation: string): readonly string[];
  /** The members of what it shows under `data`, and whether each may be null. */
  shows(operation: string): ReadonlyMap<string, { nullable: boolean }>;
}
