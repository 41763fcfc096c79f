// Every operation of openapi.json through the client of the SDK: the request reaches it, with the key that it takes, and the call gives the
// answer or throws the refusal. That answers are what the document says, the tests of each operation check.
import { ApiError } from '@agent-payments/sdk';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Json, openWallet, useHarness } from '../harness.js';
import { document, operationAt } from '../openapi.js';
import { exampleOf, operations, pathOf, type Seeds } from '../operation.js';
import { Wire } from './wire.js';

vi.setConfig({ testTimeout: 60_000 });
const h = useHarness();
let seeds: Seeds;

interface Asked {
  method: string;
  template: string;
  body: Json;
}

/** Those of protocols, whose own wire has no document in GraphQL; of the channel another test speaks. */
const doors = Object.entries<Json>(document.paths).flatMap(([template, item]) =>
  Object.entries<Json>(item).flatMap(([method, { operationId, 'x-graphql': twin }]) =>
    twin === undefined && operationId !== 'connectAgent' ? [{ method: method.toUpperCase(), template, body: undefined }] : [],
  ),
);
const isReading = ({ method }: Asked) => method === 'GET';
/** What ends things comes last, and what is read first. */
const all: Asked[] = [...operations(), ...doors];
const inOrder = [
  ...all.filter(isReading),
  ...all.filter((asked) => !isReading(asked) && asked.method !== 'DELETE'),
  ...all.filter(({ method }) => method === 'DELETE'),
];
const declared = Object.values<object>(document.paths).flatMap((item) => Object.keys(item)).length;

/** Operations that take an Idempotency-Key. */
const keyed = Object.entries<Json>(document.paths).flatMap(([template, item]) =>
  Object.entries<Json>(item)
    .filter(([, { parameters = [] }]) =>
      parameters.some(({ $ref, name }: Json) => name === 'Idempotency-Key' || /IdempotencyKey$/.test($ref)),
    )
    .map(([method]) => `${method.toUpperCase()} ${template}`),
);

beforeAll(async () => {
  const { account, wallet } = await openWallet(h.test, { funded: '1000.00' });
  const { wallet: other } = await openWallet(h.test);
  const agent = await h.test.make('/v1/agents', { parent_account_id: account.id, name: 'Agent', wallet: { currency: 'USD' } });
  seeds = { account: account.id, wallet: wallet.id, to_wallet: other.id, payee_wallet: other.id, agent: agent.id };
});

/** The parameters of a path, as the client takes them. */
function pathParameters(template: string): Record<string, string> {
  const [names, steps] = [template.split('/'), pathOf(template, seeds).split('/')];
  return Object.fromEntries(names.flatMap((name, at) => (name.startsWith('{') ? [[name.slice(1, -1), steps[at] ?? '']] : [])));
}

describe('every operation', () => {
  it('can be called, and answers what it says', { timeout: 180_000 }, async ({ annotate }) => {
    const wire = new Wire({ checks: false });
    const sdk = wire.client(h.test.url, h.test.key, { retryForMs: 0 });
    const outcomes: { name: string; isReached: boolean; isKeyed: boolean; isDone: boolean }[] = [];
    for (const { method, template, body } of inOrder) {
      const init = {
        params: { path: pathParameters(template) },
        ...(body !== undefined && { body: exampleOf(body, '', seeds) }),
        ...(template.endsWith('/export') && { parseAs: 'text' }),
      };
      const call = sdk[method as 'GET'] as (path: string, init: object) => Promise<unknown>;
      const refusal = await call(template, init).then(
        () => undefined,
        (error) => error,
      );
      if (refusal !== undefined && !(refusal instanceof ApiError)) throw refusal;
      const attempt = wire.attempts.at(-1);
      const isThere = refusal?.status !== 405 && !/^No such path/.test(refusal?.message);
      const isReached = isThere && attempt?.method === method && operationAt(method, attempt.path)?.template === template;
      outcomes.push({ name: `${method} ${template}`, isReached, isKeyed: attempt?.key !== null, isDone: refusal === undefined });
    }
    expect(outcomes.filter(({ isReached }) => !isReached).map(({ name }) => name)).toEqual([]);
    expect(outcomes.length / declared).toBeGreaterThan(0.95);
    expect(
      outcomes
        .filter(({ isKeyed }) => isKeyed)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(keyed.sort());
    const done = outcomes.filter(({ isDone }) => isDone).length;
    await annotate(`${outcomes.length} of ${declared} operations called; ${done} did it, the others refused a made-up id or body`);
    expect(done).toBeGreaterThan(100);
  });
});
