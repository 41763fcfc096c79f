// /graphql: GraphQL over HTTP. The answer is JSON, or a stream of events where the caller asks for one (CONTRACT.md 21).
import { NotAcceptable } from '../platform/errors.js';
import { chunksOf, sendStream } from './event-stream.js';
import { checkedRequest, type RunOperation } from './graphql-operation.js';
import { sendResult, sendResultEvent, wasExecuted } from './graphql-result.js';
import type { SendIntrospection } from './introspection.js';
import type { GraphQLRequest, Handler, HttpContext } from './state.js';

/** The handler of /graphql. `run` executes a request with its limits, its Idempotency-Key and its errors. */
export function serveGraphQL(run: RunOperation, sendIntrospection: SendIntrospection): Handler {
  return async (http) => {
    const { read } = checkedRequest(http);
    const isStream = wantsStream(http, read);
    if (read.standard !== undefined) return sendIntrospection(http, read.standard, isStream ? 'stream' : 'json');
    const { result, text } = await run(http, 'text');
    if (text !== undefined) return sendStream(http, chunksOf(text));
    if (result === undefined) throw new Error('a GraphQL request gave no result');
    return isStream && wasExecuted(result) ? sendResultEvent(http, result) : sendResult(http, result);
  };
}

/** True when the answer is to be a stream. 406 when the caller takes neither form, or takes no stream of a subscription. */
function wantsStream(http: HttpContext, { operation }: GraphQLRequest): boolean {
  const accept = http.get('Accept') || '*/*';
  const takesStream = accept.includes('text/event-stream');
  if (operation?.operation === 'subscription') {
    if (takesStream) return true;
    throw new NotAcceptable('A subscription is a stream: send `Accept: text/event-stream`.');
  }
  if (/application\/(json|graphql-response\+json|\*)|\*\/\*/.test(accept)) return false;
  if (takesStream) return true;
  throw new NotAcceptable('Answers are application/graphql-response+json, application/json or text/event-stream.');
}
