// Requests that were refused, by the code of the refusal: the codes are those that error classes declare, so they are few.
import { Counter } from 'prom-client';
import type { ApiError } from '../platform/errors.js';
import type { TraceSpan } from '../platform/trace.js';

/** Each error of an answer to a GraphQL document counts. */
export const refusals = new Counter({
  name: 'refusals_total',
  help: 'Errors that callers were told of, by status and code.',
  labelNames: ['status', 'code'],
  registers: [],
});

// An alert sees a counter grow, and not one appear: what pages somebody is there from the start.
refusals.inc({ status: 500, code: 'internal_error' }, 0);
for (const code of ['dependency_unavailable', 'overloaded']) refusals.inc({ status: 503, code }, 0);

/** Counts a refusal, and says it in the span of the request. Only a fault of ours makes the span stand out. */
export function noteRefusal({ status, code }: ApiError, span: TraceSpan | undefined): void {
  refusals.inc({ status, code });
  if (status >= 500) span?.fail({ code });
  else span?.set({ 'error.type': code });
}
