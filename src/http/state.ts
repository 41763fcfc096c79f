// What a request carries through the middlewares of app.ts, typed once.
import type { Middleware, ParameterizedContext } from 'koa';
import type { Ctx } from '../platform/ctx.js';
import type { GraphQLRequest } from './graphql-request.js';

export type RateClass = 'general' | 'auth';

export interface State {
  requestId: string;
  /** The caller's address, as `TRUSTED_PROXIES` lets us know it. */
  ip: string;
  /** How errors are spelled. */
  face: 'rest' | 'graphql';
  /** Which budget the request draws on, and how many points of it. */
  rateClass: RateClass;
  rateCost: number;
  /** What is left of the address's budget. */
  budgetLeft?: number;
  /** The path's pattern, as metrics count it: `/v1/agents/{id}`. */
  route: string;
  /** Set by `authenticate`. */
  ctx?: Ctx;
  /** Set by the reader of `/graphql`. */
  graphql?: GraphQLRequest;
}

export type HttpContext = ParameterizedContext<State>;
export type Handler = Middleware<State>;
