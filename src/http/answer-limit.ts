// The end of every answer that is held whole, over every face: 8 MB, and with all others no more than may wait for their readers. What is
// too large for a read is 503; a change that was made is answered with its reference instead (CONTRACT.md 21) (decision 0044).
import { mostAnswerBytes } from '../platform/answer-text.js';
import type { Ctx } from '../platform/ctx.js';
import { AnswerTooLarge, type ApiError, Overloaded } from '../platform/errors.js';
import { oneEvent } from './event-stream.js';
import type { Handler, HttpContext } from './state.js';
import type { Unread } from './unread.js';

/** Texts beyond this are sent as bytes: as text they would be held twice. */
const longText = 16 * 1024;

/** Refuses what is too much to be held until it is read. */
export function limitAnswers(unread: Unread): Handler {
  return async (http, next) => {
    const refusal = await next().then(
      () => refusalOf(http, unread),
      (error: unknown) => {
        if (error instanceof AnswerTooLarge) return error;
        throw error;
      },
    );
    if (refusal === undefined) return;
    const { effect, ctx } = http.state;
    const reference = referenceOf({ effect, ...ctx });
    if (reference === undefined) throw refusal;
    sendReference(http, reference);
  };
}

function refusalOf(http: HttpContext, unread: Unread): ApiError | undefined {
  const { body } = http;
  if (typeof body === 'string' && body.length > longText) http.body = Buffer.from(body);
  const bytes = Buffer.isBuffer(http.body) ? http.body.length : 0;
  if (bytes > mostAnswerBytes) return new AnswerTooLarge();
  if (unread.takes(bytes)) return undefined;
  return new Overloaded('Too many answers wait for their readers right now; nothing was changed. Send it again in a second.');
}

/** What names the result of a change that was made, by this request or by the one that it repeats. */
export function referenceOf({ effect, idempotency }: Pick<Ctx, 'effect' | 'idempotency'>): string | undefined {
  return effect.isPossible ? effect.reference : idempotency?.replayOf;
}

/** What REST answers in place of what was made. */
export function leftOut(reference: string): Record<string, unknown> {
  return { data: { id: reference }, reason: 'answer_too_large' };
}

// Gap G-400: A change whose answer is too large has its status and `{data: {id}, reason: "answer_too_large"}`, or an error in GraphQL.
/** Answers that the change was made, and under which id it is found. */
function sendReference(http: HttpContext, reference: string): void {
  const { state } = http;
  if (http.status === 404) http.status = 200;
  http.remove('Content-Encoding');
  http.remove('ETag');
  if (state.face === 'graphql') {
    const text = JSON.stringify({ data: null, errors: [answerLeftOut(reference, state.requestId)] });
    const isStream = http.get('Accept').includes('text/event-stream') && !http.get('Accept').includes('json');
    http.set('Content-Type', isStream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8');
    http.body = isStream ? oneEvent(text) : text;
    return;
  }
  http.set('Content-Type', 'application/json; charset=utf-8');
  http.body = JSON.stringify(leftOut(reference));
}

function answerLeftOut(reference: string, requestId: string): Record<string, unknown> {
  const details = { reason: 'answer_too_large', reference, retry: { safe: false } };
  return {
    message: 'The change was made, but its answer is too large to be sent. Read what was made by its reference; do not send it again.',
    extensions: { code: 'overloaded', details, requestId, http: { status: 200 } },
  };
}
