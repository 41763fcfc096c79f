// Schemas of callers are checked in a thread that can be ended, whatever they do, and in turns.
import { afterEach, describe, expect, it } from 'vitest';
import { Effect } from '../../src/platform/effect.js';
import { Overloaded, ValidationFailed } from '../../src/platform/errors.js';
import type { SchemaCheck } from '../../src/platform/json-schema.js';
import { createLogger } from '../../src/platform/log.js';
import { SchemaChecker } from '../../src/platform/schema-checker.js';

const checkers: SchemaChecker[] = [];
/** However busy the machine is that tests run on, it counts as idle. */
const open = (busyProbeMs = Number.MAX_SAFE_INTEGER) => {
  const made = new SchemaChecker({ log: createLogger('silent'), busyProbeMs });
  checkers.push(made);
  return made;
};
afterEach(async () => {
  for (const checker of checkers.splice(0)) await checker.close();
});

type Schema = Record<string, unknown>;
const from = (id: string, effect = new Effect()) => ({
  workspace: { id },
  effect,
});
const given = (schema: Schema): SchemaCheck[] => [{ schema, path: ['schema'], isGiven: true }];
const held = (schema: Schema, ...values: unknown[]): SchemaCheck[] => [
  { schema, path: [], values: values.map((value, n) => ({ value, path: ['parts', n] })) },
];
/** What a promise was refused with: its paths and messages, or its code. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof ValidationFailed ? error.fields?.map(({ path, message }) => [path.join('.'), message]) : error),
  );

/** A schema of few parts that asks 2 to the power of `depth` questions. */
function doubling(depth: number, how: 'allOf' | 'anyOf', leaf: Schema): Schema {
  const steps = Array.from({ length: depth }, (_, n) => [
    `d${n}`,
    { [how]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
  ]);
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(steps), [`d${depth}`]: leaf } };
}
const endless = doubling(40, 'allOf', {});

describe('the checker of schemas', () => {
  it('answers for a schema and for values, and says what can be used', async () => {
    const checker = open();
    await expect(checker.check(from('a'), [...given({ type: 'string' }), ...held({ type: 'thing' }, 1)])).resolves.toEqual([true, false]);
    expect(await refusal(checker.check(from('a'), given({ type: 'thing' })))).toEqual([
      ['schema', expect.stringContaining('is no JSON Schema')],
    ]);
    expect(await refusal(checker.check(from('a'), held({ type: 'number' }, 1, 'two', 'three')))).toEqual([['parts.1', 'must be number']]);
    await expect(checker.check(from('a'), [])).resolves.toEqual([]);
  });

  it('ends what takes too long, says which part it was, and goes on', async () => {
    const checker = open();
    const slow = refusal(checker.check(from('a'), given(endless)));
    const next = checker.check(from('a'), given({ type: 'string' }));
    expect(await slow).toEqual([['schema', 'takes too long to be held to anything']]);
    await expect(next).resolves.toEqual([true]);
    const inValue = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $defs: endless['$defs'],
      anyOf: [{ type: ['object', 'array', 'string'] }, { $ref: '#/$defs/d0' }],
    };
    expect(await refusal(checker.check(from('a'), held(inValue, {}, 7)))).toEqual([['parts.1', 'takes too long to be held to the schema']]);
  });

  it('says that the machine is busy where a known check takes long too', async () => {
    expect(await refusal(open(0).check(from('a'), given(endless)))).toBeInstanceOf(Overloaded);
  });

  it('goes on after a schema that uses up its memory', async () => {
    const checker = open();
    const greedy = doubling(26, 'anyOf', { type: 'null' });
    expect(await refusal(checker.check(from('a'), given(greedy)))).toEqual([
      ['schema', expect.stringMatching(/^takes too (much memory|long) to be held/)],
    ]);
    await expect(checker.check(from('a'), given({ type: 'string' }))).resolves.toEqual([true]);
  });

  it('gives a request one budget for all that it asks', async () => {
    const checker = open();
    const effect = new Effect();
    await refusal(checker.check(from('a', effect), given(endless)));
    // Nothing is left: even this comes to its end.
    const nearlyEndless = doubling(19, 'allOf', {});
    expect(await refusal(checker.check(from('a', effect), given(nearlyEndless)))).toEqual([
      ['schema', expect.stringContaining('takes too long')],
    ]);
  });

  it('lets workspaces take turns, and takes no more than some of each', async () => {
    const checker = open();
    const order: string[] = [];
    const ask = (id: string, name: string) => checker.check(from(id), given({ const: name })).then(() => order.push(name));
    const first = Array.from({ length: 16 }, (_, n) => ask('greedy', `g${n}`));
    expect(await refusal(ask('greedy', 'one more'))).toBeInstanceOf(Overloaded);
    await Promise.all([...first, ask('modest', 'm0'), ask('modest', 'm1')]);
    expect(order.slice(0, 4)).toEqual(['g0', 'm0', 'g1', 'm1']);
    expect(order).toHaveLength(18);
  });

  it('asks nothing for a request that was given up', async () => {
    const checker = open();
    const effect = new Effect();
    const asked = refusal(checker.check(from('a', effect), given(endless)));
    effect.giveUp();
    expect(await asked).toBeInstanceOf(Overloaded);
  });

  it('refuses what waits when it is closed', async () => {
    const checker = open();
    const waiting = refusal(checker.check(from('a'), given(endless)));
    await checker.close();
    expect(await waiting).toBeInstanceOf(Overloaded);
    expect(await refusal(checker.check(from('a'), given({})))).toBeInstanceOf(Overloaded);
  });
});
