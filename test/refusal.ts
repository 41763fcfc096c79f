// What a refusal looks like.
import { expect } from 'vitest';
import type { Answer, Json } from './harness.js';

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
