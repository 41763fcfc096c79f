// What a refusal owes its caller: a 400 its fields; a 403, 409 or 422 requests that exist and are ready to send, a retry, or that it
// is final; a refusal by a limit its figures (CONTRACT.md 0 "Small decisions").
import { expect } from 'vitest';
import { bodyFault, operationAt } from './openapi.js';

// biome-ignore lint/suspicious/noExplicitAny: details of any error
type Details = any;

const amount = /^\d{1,18}(\.\d{1,8})?$/;
const figures = ['max', 'used', 'requested', 'remaining'];
/** Reasons of refusals that are about a limit. */
const ofLimits = ['max_amount', 'max_count', 'velocity'];

/** What is missing in the details of an error with `status`; null when nothing is. */
export function faultOf(status: number, details: Details): string | null {
  if (status === 400) return details?.fields?.length > 0 ? null : 'a 400 names its fields';
  if (![403, 409, 422].includes(status)) return null;
  const { next_actions: actions, retry, terminal, limit, reason } = details ?? {};
  if (ofLimits.includes(reason) && limit?.kind === undefined) return `${reason} without its limit`;
  const unlike = limit?.kind === undefined ? null : limitFault(limit);
  if (unlike !== null) return unlike;
  if (actions === undefined) return retry !== undefined || terminal === true ? null : 'neither next_actions nor retry nor terminal';
  if (actions.length === 0) return 'next_actions are empty';
  for (const { actor, method, path, body } of actions) {
    if (actor === 'operator') continue;
    if (operationAt(method, path) === undefined) return `${method} ${path} is no operation`;
    const fault = method === 'POST' ? bodyFault(method, path, body) : null;
    if (fault !== null) return `${method} ${path} is not ready to send: ${fault}`;
  }
  return null;
}

/**
 * What is wrong with the figures of a limit: `{kind, per, currency, max, used, requested, remaining, resets_at?}`. Of a policy or budget
 * that counts others too an agent is told neither `max` nor `used`.
 */
function limitFault(limit: Details): string | null {
  const { kind, per, currency, resets_at: resetsAt, ...others } = limit;
  if (!['kya', 'policy', 'budget', 'mandate', 'rail'].includes(kind)) return `a limit of the kind ${kind}`;
  if (!/^(tx|order|hour|day|week|month|once|\d+s)$/.test(per)) return `a limit per ${per}`;
  if (resetsAt !== undefined && Number.isNaN(Date.parse(resetsAt))) return `a limit that resets at ${resetsAt}`;
  if (Object.keys(others).sort().join() !== [...figures].sort().join()) return `a limit with the figures ${Object.keys(others)}`;
  const isShared = others.max === null && others.used === null && (kind === 'policy' || kind === 'budget');
  for (const name of isShared ? figures.slice(2) : figures) {
    const figure = others[name];
    const isFigure = currency === null ? Number.isInteger(figure) && figure >= 0 : typeof figure === 'string' && amount.test(figure);
    if (!isFigure) return `${name} of a limit is ${figure}`;
  }
  if (isShared) return Number(others.requested) > Number(others.remaining) ? null : 'a limit that refuses and is not passed';
  const left = Math.max(0, Number(others.max) - Number(others.used));
  if (Math.abs(left - Number(others.remaining)) > 1e-6 * Math.max(1, left)) return 'remaining is not what used leaves of max';
  return Number(others.used) + Number(others.requested) > Number(others.max) ? null : 'a limit that refuses and is not passed';
}

/** Fails the test when an answer of either face refuses without saying what could be done about it. */
export function checkWayOut(request: string, { status, body }: { status: number; body: Details }): void {
  // A single error without a code is no answer of the platform. Errors without extensions are those of the items of a batch.
  const errors = (body?.errors ?? []).flatMap(({ extensions }: Partial<Details>) => extensions ?? []);
  for (const { details, http } of errors) check(faultOf(http.status, details));
  // Errors of a protocol's own spelling have its members alone.
  const isOurs = body?.code !== undefined && body.error !== undefined;
  if (isOurs) check(faultOf(status, body.details));

  function check(fault: string | null): void {
    if (fault !== null) expect.fail(`${request} ${status}: ${fault}: ${JSON.stringify(body)}`);
  }
}
