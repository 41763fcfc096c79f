// The trace of a request, from its `traceparent` header to the rows that the request makes (src/platform/trace.ts).
import { describe, expect, it } from 'vitest';
import { readTraceparent } from '../src/platform/trace.js';
import { openWallet, useHarness } from './harness.js';
import { query } from './ledger/wallet-ref.js';

const harness = useHarness();
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('gives a place in a trace, in this version and in later ones', () => {
    expect(readTraceparent(`00-${trace}-${parent}-01`)).toEqual({ traceId: trace, span: `${parent}-01` });
    expect(readTraceparent(`cc-${trace}-${parent}-00`)).toEqual({ traceId: trace, span: `${parent}-00` });
    expect(readTraceparent(`cc-${trace}-${parent}-01-what-the-future-will-be-like`)?.traceId).toBe(trace);
  });

  it('is ignored when it is malformed or all zero', () => {
    const malformed = [
      `00-${trace}-${parent}-01-more`,
      `00-${'0'.repeat(32)}-${parent}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `ff-${trace}-${parent}-01`,
      `00-${trace.toUpperCase()}-${parent}-01`,
      `00-${trace.slice(1)}-${parent}-01`,
      `00-${trace}-${parent}`,
      `00-${trace}-${parent}-01 `,
      trace,
      '',
    ];
    for (const header of malformed) expect(readTraceparent(header), header).toBeUndefined();
    expect(readTraceparent(undefined)).toBeUndefined();
  });

  it('is kept on the transfer and the events that the request makes', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '10.00' });
    const { wallet: other } = await openWallet(harness.test);
    const pay = async (body: object, header?: string) => {
      const { status, body: answer } = await harness.test.call('POST', '/v1/transfers', {
        body: { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: other.id, amount: '1.00', currency: 'USD', ...body },
        headers: header === undefined ? {} : { traceparent: header },
      });
      expect(status).toBe(201);
      return (answer.data as { id: string }).id;
    };
    const traces = async (id: string) => [
      ...(await query(harness, 'SELECT trace_id FROM transfer WHERE id = $1', [id])),
      ...(await query(harness, 'SELECT trace_id FROM event WHERE object_id = $1', [id])),
    ];
    const header = `00-${trace}-${parent}-01`;
    expect(await traces(await pay({}, header))).toEqual(Array(3).fill({ trace_id: trace }));
    expect(await traces(await pay({ scheduled_for: '2027-01-01T00:00:00Z' }, header))).toEqual(Array(2).fill({ trace_id: trace }));
    expect(await traces(await pay({}, 'not a trace'))).toEqual(Array(3).fill({ trace_id: null }));
    expect(await traces(await pay({}))).toEqual(Array(3).fill({ trace_id: null }));
  });
});
