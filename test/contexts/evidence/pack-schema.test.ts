// verify/pack.schema.json is exact: packs of every kind that the platform makes are valid, and what differs from one in any member is not.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { verifyPack } from '../../../verify/src/verify.js';
import { spender } from '../../factories/approval.js';
import { payAbroad } from '../../factories/exchange.js';
import { newHolder } from '../../factories/mandate.js';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { base64, newBuyer, newEndpoint, signedOnLedger, unbase64 } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';

const h = useHarness();
const schema = JSON.parse(readFileSync(new URL('../../../verify/pack.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ allowUnionTypes: true, allErrors: true });
const isPack = ajv.compile(schema);
/** What is wrong with a pack, by the place of each fault. */
const faults = (pack: unknown): string[] => (isPack(pack) ? [] : (isPack.errors ?? []).map((one) => `${one.instancePath} ${one.message}`));

async function packOf(transferId: string, query = ''): Promise<Json> {
  const { status, body } = await h.test.get(`/v1/transfers/${transferId}/evidence${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function plain(extra: object = {}): Promise<Json> {
  const { from, to } = await twoWallets(h.test);
  return h.test.make('/v1/transfers', transferBody(from, to, '4.00', extra));
}

async function limited(): Promise<Json> {
  const { from, to } = await twoWallets(h.test);
  await h.test.make('/v1/policies', {
    name: 'Limit',
    target: { type: 'account', id: from.account_id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
  });
  const transfer = await h.test.make('/v1/transfers', transferBody(from, to, '4.00'));
  await h.test.make(`/v1/transfers/${transfer.id}/delivery`, { sha256: 'ab'.repeat(32), media_type: 'text/plain' });
  await h.test.make('/v1/refunds', { original_transfer_id: transfer.id, amount: '1.50', reason: 'customer_request' });
  return transfer;
}

async function overX402(): Promise<Json> {
  const [endpoint, buyer] = [await newEndpoint(h.test), await newBuyer(h.test)];
  const door = (headers: Record<string, string> = {}) => h.test.get(`/x402/${endpoint.id}`, { as: null, headers });
  const [offer] = unbase64((await door()).headers.get('payment-required')).accepts;
  const answer = await door({ 'PAYMENT-SIGNATURE': base64(signedOnLedger(buyer, offer, '0.10', h.clock.now())) });
  expect(answer.status).toBe(200);
  const [payment] = (await h.test.get(`/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data;
  return { id: payment.transfer_id };
}

async function byMandate(): Promise<Json> {
  const { status, body } = await (await newHolder(h.test)).spend('5.00');
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return { id: body.data.transfer_id };
}

async function approved(): Promise<Json> {
  const { transfer, approval } = await (await spender(h)).wait();
  expect((await h.test.post(`/v1/approvals/${approval.id}/approve`, {})).status).toBe(200);
  return transfer;
}

async function captured(): Promise<Json> {
  const held = await plain({ capture: 'manual' });
  expect((await h.test.post(`/v1/transfers/${held.id}/capture`, { amount: '3.00' })).status).toBe(200);
  return held;
}

describe('verify/pack.schema.json', () => {
  it.each<[kind: string, pay: () => Promise<Json>, roles: string[]]>([
    ['a plain payment', plain, ['payment']],
    ['a payment with limits, a delivery and a refund', limited, ['policy', 'payment', 'delivery', 'refund']],
    ['a payment that was held', captured, ['hold', 'capture']],
    ['a payment over x402', overX402, ['payment']],
    ['a payment by a mandate', byMandate, ['mandate', 'payment']],
    ['a payment that people approved', approved, ['hold', 'capture']],
    ['a payment into another currency', async () => (await payAbroad(h.test)).transfer, ['payment']],
  ])('takes the pack of %s, whoever reads it', async (_kind, pay, roles) => {
    const { id } = await pay();
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
    const transfer = await limited();
    const pack = await packOf(transfer.id, '?from_size=1');
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
    const pack = await packOf((await plain()).id);
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
