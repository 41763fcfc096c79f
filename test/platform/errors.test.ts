// A refusal cannot be made without what its caller needs: the types refuse to compile it.
import { describe, expect, it } from 'vitest';
import { AlreadyExists, declareError, Forbidden, InvalidJson, invalidRequest, StateConflict } from '../../src/platform/errors.js';
import { readFiles } from '../source.js';
import { faultOf } from '../way-out.js';

describe('declareError', () => {
  it.each([403, 409, 422] as const)('%i takes a way out', (status) => {
    class Refused extends declareError(status, 'refused') {}
    // @ts-expect-error: a refusal says what its caller can do
    new Refused('No.');
    // @ts-expect-error: details alone are no way out
    new Refused('No.', { details: { current_status: 'x' } });
    for (const details of [{ terminal: true }, { retry: { safe: true, same_key: true } }, { next_actions: [] }] as const)
      expect(new Refused('No.', { details })).toMatchObject({ status, code: 'refused', details });
  });

  it('400 takes fields, and all else is free', () => {
    class Wrong extends declareError(400, 'wrong') {}
    // @ts-expect-error: a 400 names its fields
    new Wrong('No.');
    class Gone extends declareError(404, 'gone') {}
    expect(new Gone('Gone.').details).toBeUndefined();
  });

  it('has the way out of the classes of the platform', () => {
    // @ts-expect-error: details alone are no way out
    new AlreadyExists('No.', { details: { reference: 'x' } });
    // @ts-expect-error: nor are the statuses
    new StateConflict('No.', 'closed', ['active']);
    expect(faultOf(403, new Forbidden('No.').details)).toBeNull();
    for (const { fields } of [new InvalidJson('No.'), invalidRequest('No.', 'type')]) expect(faultOf(400, { fields })).toBeNull();
  });

  it('is the only way to refuse: nobody makes a bare ApiError of such a status', () => {
    const bare = readFiles(['src'], ['.ts']).filter(({ text }) => /new ApiError\(\s*(400|403|409|422)\b/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });
});
