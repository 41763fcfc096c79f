// verify/pack.schema.json is exact: packs of every kind that the platform makes are valid, and what differs from one in any member is not.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { verifyPack } from '../../../verify/src/verify.js';
import { evidenceKinds } from '../../factories/evidence-kind.js';
import { type Json, useHarness } from '../../harness.js';

const h = useHarness();
const schema = JSON.parse(readFileSync(new URL('../../../verify/pack.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ allowUnionTypes: true, allErrors: true });
const isPack = ajv.compile(schema);
/** What is wrong with a pack, by the place of each fault. */
const faults = (pack: unknown): string[] => (isPack(pack) ? [] : (isPack.errors ?? []).map((one) => `${one.instancePath} ${one.message}`));

const kind = (name: string): Promise<string> => evidenceKinds[name]?.pay(h) ?? Promise.reject(new Error(`no kind ${name}`));

async function packOf(transferId: string, query = ''): Promise<Json> {
  const { status, body } = await h.test.get(`/v1/transfers/${transferId}/evidence${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

describe('verify/pack.schema.json', () => {
  it.each(Object.entries(evidenceKinds))('takes the pack of %s, whoever reads it', async (_kind, { pay, roles }) => {
    const id = await pay(h);
    const pack = await packOf(id);
    expect(faults(pack)).toEqual([]);
    expect(pack.leaves.map(({ role }: Json) => role)).toEqual(expect.arrayContaining(roles));
    expect(faults(await packOf(id, '?parts=money'))).toEqual([]);
    const { tree_size: size } = (await h.test.get('/v1/evidence/head')).body.data;
    await h.test.make('/v1/accounts', { type: 'business', name: 'One more' });
    const later = await packOf(id, `?from_size=${size}`);
    expect([later.consistency.from, faults(later)]).toEqual([size, []]);
  });

  it('refuses a pack without one of its members, with one more, or with another kind of value', async () => {
    const pack = await packOf(await kind('a payment with limits, a delivery and a refund'), '?from_size=1');
    const passed = [...changesOf(pack)].filter(({ changed }) => isPack(changed)).map(({ name }) => name);
    expect(passed).toEqual([]);
  });

  it.each<[name: string, change: (pack: Json) => unknown]>([
    ['another name of the form', (pack) => Object.assign(pack, { format: 'agent-payments/evidence@2' })],
    ['an id that is none', ({ subject }) => Object.assign(subject, { id: 'tx_1' })],
    ['a role that nobody knows', ({ leaves }) => Object.assign(leaves[0], { role: 'payer' })],
    ['a place below zero', ({ leaves }) => Object.assign(leaves[0], { index: -1 })],
    ['a place that is no whole number', ({ leaves }) => Object.assign(leaves[0], { index: 0.5 })],
    ['a digest with a free bit', ({ leaves }) => Object.assign(leaves[0].written, { 0: leaves[0].written[0].replace(/.=$/, 'B=') })],
    ['a disclosure in base64', ({ leaves }) => leaves[0].disclosures.push('a+/=')],
    ['no leaf', ({ leaves }) => leaves.splice(0)],
    ['a head of size 0', (pack) => Object.assign(pack, { checkpoint: pack.checkpoint.replace(/\n\d+\n/, '\n0\n') })],
    ['a head that nobody signed', (pack) => Object.assign(pack, { checkpoint: pack.checkpoint.replace(/— .*\n/, '') })],
    ['a receipt that is no JWS', ({ attached }) => Object.assign(attached, { receipt_jws: 'a.b' })],
    ['something attached that nobody knows', ({ attached }) => Object.assign(attached, { invoice: 'x' })],
  ])('refuses %s, and so does the verifier', async (_name, change) => {
    const pack = await packOf(await kind('a plain payment'));
    change(pack);
    expect(isPack(pack)).toBe(false);
    expect(['broken', 'unreadable']).toContain(verifyPack(JSON.stringify(pack)).outcome);
  });
});

/** What may be left out: it is not in every pack. */
const optional = ['mandate_jwt', 'refund_receipts', 'x402'];

/** A value with each of its members left out, with a member more in each of its objects, and with each value of another kind. */
function* changesOf(whole: Json): Generator<{ name: string; changed: Json }> {
  const copy = (at: readonly (string | number)[]): [Json, Json] => {
    const changed = structuredClone(whole);
    return [changed, at.reduce((value: Json, step) => value[step], changed)];
  };
  function* below(value: Json, at: readonly (string | number)[]): Generator<{ name: string; changed: Json }> {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    const [more, place] = copy(at);
    if (!isList) {
      place['one_more'] = 1;
      yield { name: `${at.join('/')} with a member more`, changed: more };
    }
    for (const member of isList ? [...value.keys()].slice(0, 1) : Object.keys(value)) {
      const here = [...at, member];
      if (!isList && !optional.includes(String(member))) {
        const [less, cut] = copy(at);
        delete cut[member];
        yield { name: `without ${here.join('/')}`, changed: less };
      }
      const [other, changed] = copy(at);
      changed[member] = typeof value[member] === 'boolean' ? 1 : true;
      yield { name: `${here.join('/')} of another kind`, changed: other };
      yield* below(value[member], here);
    }
  }
  yield* below(whole, []);
}
