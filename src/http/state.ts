// What a request carries through the middlewares of app.ts, typed once.
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Ctx } from '../platform/ctx.js';
import type { ShopOrigin, Spelling } from '../platform/door.js';
import type { Effect } from '../platform/effect.js';
import type { DrawnBudget, RateClass } from '../platform/rate-limit.js';
import type { TracePlace, TraceSpan } from '../platform/trace.js';
import type { RootField } from './root-field.js';

/** What a GraphQL request asks for, checked. */
export interface GraphQLParams {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

export interface GraphQLRequest {
  /** Why the request cannot be served. Nothing else is set then. */
  failure?: unknown;
  params: GraphQLParams;
  document?: DocumentNode;
  /** Why there is no document. */
  syntaxError?: GraphQLError;
  /** The operation to run, where the document has it. */
  operation?: OperationDefinitionNode;
  /** The standard introspection query, where the document is one: it is answered as it is prepared. */
  standard?: DocumentNode;
  roots: readonly RootField[];
  /** How many nodes the operation asks for. */
  nodes: number;
}

export interface State {
  requestId: string;
  /** Where the request stands in a trace: of its own span, else of the caller's. */
  trace?: TracePlace;
  /** Its own span, when it is traced. */
  span?: TraceSpan;
  /** The caller's address, as `TRUSTED_PROXIES` lets us know it. */
  ip: string;
  /** Where callers reach this listener. Set by `authenticate`. */
  origin?: () => string;
  /** The shop that the request was sent to. */
  shop?: ShopOrigin;
  /** True where the request has passed what comes first, before it was known whose it is. */
  isBegun?: true;
  /** How errors are spelled. */
  face: 'rest' | 'graphql';
  /** The protocol's own spelling of errors, at a door that has one. */
  spelling?: Spelling;
  /** Which budget the request draws on, and how many points of it. */
  rateClass: RateClass;
  rateCost: number;
  /** What it has drawn on. */
  budgets?: readonly DrawnBudget[];
  /** The path's pattern, as metrics count it: `/v1/agents/{id}`. */
  route: string;
  /** Whether the request may have changed something by now. Set by `limitTime`. */
  effect: Effect;
  /** Set by `authenticate`. */
  ctx?: Ctx;
  /** Set by the reader of `/graphql`. */
  graphql?: GraphQLRequest;
}

/** What the router knows of a request. */
export interface Routed {
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
  /** The endpoints of its path, whatever their methods. */
  matched?: readonly { methods: readonly string[]; path: string | RegExp }[];
}

export type HttpContext = ParameterizedContext<State, Routed>;
export type Handler = Middleware<State, Routed>;
