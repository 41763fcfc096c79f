// Rendering: null members are left out but for @orNull, free-form JSON stays whole, secrets are left out of what is stored.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExecutor, executePlain } from '../../src/rest/execute.js';
import { nullDropper, secretRemover } from '../../src/rest/output.js';
import { compileRoutes, type Route } from '../../src/rest/routes.js';
import { orderId, schema, shop, shopCtx } from './shop.js';

const routes = compileRoutes(schema, [shop]);
const route = (name: string) => routes.find((candidate) => candidate.name === name) as Route;
const shape = route('readOrder').shape;

function render(value: unknown): unknown {
  const copy = structuredClone(value);
  nullDropper(shape)?.(copy);
  return JSON.parse(JSON.stringify(copy));
}

describe('null members', () => {
  it('are left out, but for @orNull', () => {
    expect(render({ id: 'x', note: null, address: null })).toEqual({ id: 'x', address: null });
  });
  it('are left out in nested objects and in each item of a list', () => {
    const value = {
      address: { line1: 'a', postal_code: null },
      items: [
        { sku: 'A', gift_text: null },
        { sku: 'B', gift_text: 'hi' },
      ],
    };
    expect(render(value)).toEqual({ address: { line1: 'a' }, items: [{ sku: 'A' }, { sku: 'B', gift_text: 'hi' }] });
  });
  it('stay in free-form JSON', () => {
    expect(render({ metadata: { a: null, b: [null, { c: null }] } })).toEqual({ metadata: { a: null, b: [null, { c: null }] } });
  });
  it('nothing is compiled for a shape without nullable members', () => {
    expect(nullDropper(route('knock').shape)).toBeUndefined();
  });
  it('by property: what is left is what was there without nulls', () => {
    const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
    const order = fc.record({
      note: nullable(fc.string()),
      address: nullable(fc.record({ line1: fc.string(), postal_code: nullable(fc.string()) })),
      metadata: fc.jsonValue(),
    });
    fc.assert(
      fc.property(order, ({ note, address, metadata }) => {
        const postal = address?.postal_code;
        const shown = address === null ? null : { line1: address.line1, ...(postal === null ? {} : { postal_code: postal }) };
        expect(render({ note, address, metadata })).toEqual(
          JSON.parse(JSON.stringify({ ...(note === null ? {} : { note }), address: shown, metadata })),
        );
      }),
    );
  });
});

describe('secrets', () => {
  it('are left out of the copy and stay in the original', () => {
    const original = { id: 'x', pickup_code: 's', items: [] };
    expect(secretRemover(shape)?.(original)).toEqual({ id: 'x', items: [] });
    expect(original.pickup_code).toBe('s');
  });
  it('are found below lists', () => {
    expect(secretRemover(route('listOrders').shape)?.({ data: [{ id: 1, pickup_code: 's' }], pagination: null })).toEqual({
      data: [{ id: 1 }],
      pagination: null,
    });
  });
  it('nothing is compiled for a shape without', () => expect(secretRemover(route('knock').shape)).toBeUndefined());
});

describe('both executors give the same', () => {
  const input = { maxTotal: '1.00', items: [{ sku: 'A', quantity: 1 }], metadata: { a: null }, shipAfter: '2026-01-01' };
  it.each<[string, Record<string, unknown>]>([
    ['listOrders', {}],
    ['listOrders', { status: 'open', since: '2026-01-01', sku: ['a', 'b'], limit: 3, with_gifts: true }],
    ['readOrder', { id: orderId }],
    ['readOrder', { id: `tx_${orderId.replace('0', '1')}` }],
    ['readBroken', {}],
    ['placeOrder', { input }],
    ['placeOrder', { input: { ...input, maxTotal: '0.01' } }],
    ['quoteOrder', { input }],
    ['cancelOrder', { id: orderId, waits: true }],
    ['importOrders', { input: { blob: 'x' } }],
    ['knock', {}],
  ])('%s %j', async (name, variables) => {
    const [compiled, plain] = await Promise.all(
      [compileExecutor, executePlain].map((make) => make(schema, route(name))(shopCtx(), variables)),
    );
    expect(JSON.parse(JSON.stringify(compiled?.data))).toEqual(JSON.parse(JSON.stringify(plain?.data)));
    const origins = (result: typeof compiled) => result?.errors?.map(({ originalError, path }) => [originalError, path]);
    expect(origins(compiled)).toEqual(origins(plain));
  });
});
