// What operations refuse alike: callers without a credential, agents where only the tenant may, ids that name nothing here.
import { describe, expect, it } from 'vitest';
import { enrol } from './contexts/agents/identity.js';
import { type Answer, type Client, type Harness, type Json, nowhere } from './harness.js';

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

/** The answer without what differs from one request to the next. */
export function plain({ status, body }: Answer): object {
  return { status, body: { ...body, request_id: undefined } };
}

/** The answer refuses: status, code, and the members that every refusal has. */
export function expectRefused(answer: Answer, status: number, code: string, details: object = {}): void {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({
    status,
    body: { code, error: expect.stringMatching(/^\S.*\S$/), request_id: expect.stringMatching(/^req_/), details },
  });
}

/** The answer is a 400 that names exactly these members. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  expectRefused(answer, 400, 'validation_failed');
  expect(answer.body.details.fields.map(({ path }: Json) => path)).toEqual(paths);
  for (const { message } of answer.body.details.fields) expect(message).toMatch(/\S/);
}

/** 401 for callers that show nothing, nonsense, or a key of the other environment. */
export function describeUnauthenticated(harness: Harness, { method, path, body }: Call): void {
  describe('401', () => {
    for (const [name, as, code] of [
      ['without a credential', () => null, 'missing_credential'],
      ['for a key that does not exist', () => `pk_test_${'x'.repeat(43)}`, 'invalid_api_key'],
      ['for a key of production', () => harness.live.key, 'environment_mismatch'],
    ] as const) {
      it(name, async () => {
        const answer = await harness.test.call(method, path, { as: as(), body });
        expectRefused(answer, 401, code);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      });
    }
  });
}

/** 403 for an agent, where only the tenant may. */
export function itRefusesAgents(harness: Harness, { method, path, body }: Call): void {
  it('for an agent', async () => {
    const { token } = await enrol(harness.test);
    expectRefused(await harness.test.call(method, path, { as: token, body }), 403, 'forbidden');
  });
}

/** 404, in one and the same words: an id of nobody, another tenant's, the other environment's, and what can be no id. */
export function itKnowsNothingOf(harness: Harness, call: (id: string) => Call, make: (client: Client) => Promise<Json>): void {
  it('one body for an unknown id, another tenant’s, production’s and what can be no id', async () => {
    const ask = (id: string) => {
      const { method, path, body } = call(id);
      return harness.test.call(method, path, { body });
    };
    const missing = await ask(nowhere);
    expectRefused(missing, 404, 'not_found');
    const [foreign, live] = await Promise.all([make(harness.other), make(harness.live)]);
    for (const id of [foreign.id, live.id, 'x', 'evt_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d'])
      expect(plain(await ask(id)), id).toEqual(plain(missing));
  });
}
