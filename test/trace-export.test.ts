// What a collector of OpenTelemetry gets: from a request to its operation, its posting, the publication of its events and their
// deliveries, under one trace id (src/platform/trace.ts, decision 0043).
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../src/config.js';
import { createLogger } from '../src/platform/log.js';
import type { TracePlace } from '../src/platform/trace.js';
import { openTracing } from '../src/platform/trace-export.js';
import { Receiver, subscribe } from './contexts/webhooks/receiver.js';
import { type Json, openWallet, useHarness } from './harness.js';
import { query } from './ledger/wallet-ref.js';
import { envelope, post } from './mcp/modern.js';

// Spans leave at once: the standard's own five seconds are for production.
vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
const receiver = await Receiver.start();
const collector = receiver.url('');
const harness = useHarness({
  env: {
    WEBHOOK_ALLOW_HOSTS: receiver.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/`,
    OTEL_SERVICE_NAME: 'bank',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  },
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receiver.stop();
});

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: Record<string, unknown>;
}

const textOf = ({ stringValue, intValue, doubleValue }: Json) => stringValue ?? intValue ?? doubleValue;

/** Everything that the collector was sent. */
function spans(): Span[] {
  return receiver
    .at('/v1/traces')
    .flatMap(({ json }) => json.resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope: Json) => scope.spans)
    .map((span: Json) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }: Json) => [key, textOf(value)])),
    }));
}

const named = (name: string) => spans().filter((span) => span.name === name);
const arrived = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

async function pay(amount: string, headers: Record<string, string> = {}): Promise<Json> {
  const { wallet } = await openWallet(harness.test, { funded: '10.00' });
  const { wallet: other } = await openWallet(harness.test);
  receiver.received.length = 0;
  const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: other.id, amount, currency: 'USD' };
  return (await harness.test.post('/v1/transfers', body, { headers })).body;
}

beforeEach(async () => {
  await harness.runDue();
  receiver.received.length = 0;
});

describe('a traced request', () => {
  it('is that of a message of MCP, where no header names one', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } };
    const [inMessage, inHeader] = ['1af7651916cd43dd8448eb211c80319c', '2af7651916cd43dd8448eb211c80319c'];
    const traceparent = `00-${inMessage}-${parent}-01`;
    const modern = { ...message, params: { ...message.params, _meta: { ...envelope, traceparent } } };
    await post(harness.test.url, harness.test.key, modern);
    await post(harness.test.url, harness.test.key, modern, { headers: { traceparent: `00-${inHeader}-${parent}-01` } });
    const found = (name: string, id: string) => named(name).find(({ traceId }) => traceId === id);
    await arrived(() => expect(found('tools/call', inMessage)).toMatchObject({ parentSpanId: parent, kind: 2 }));
    await arrived(() => expect(found('POST /mcp', inHeader)).toMatchObject({ parentSpanId: parent }));
    expect(found('query listAccounts', inMessage)).toMatchObject({ parentSpanId: found('tools/call', inMessage)?.spanId });
    expect(found('tools/call', inHeader)).toBeUndefined();
  });

  it('is one trace, from its caller to its deliveries', async () => {
    await subscribe(harness.test, receiver, '/hook', ['transfer.completed']);
    const { data: transfer } = await pay('1.00', { traceparent: `00-${trace}-${parent}-01` });
    await harness.runDue();

    await arrived(() => {
      const family = spans().filter(({ traceId }) => traceId === trace);
      expect(family.map(({ name }) => name).sort()).toEqual([
        'POST /v1/transfers',
        'delivery',
        'mutation createTransfer',
        'posting',
        'publication',
      ]);
    });
    const [request, operation, posting, publication, delivery] = [
      'POST /v1/transfers',
      'mutation createTransfer',
      'posting',
      'publication',
      'delivery',
    ].map((name) => named(name).find(({ traceId }) => traceId === trace)) as [Span, Span, Span, Span, Span];
    expect(request).toMatchObject({ parentSpanId: parent, kind: 2 });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/transfers',
      'http.response.status_code': 201,
      'payments.environment': 'test',
      'payments.actor_type': 'api_key',
    });
    expect(operation).toMatchObject({ parentSpanId: request.spanId, attributes: { 'graphql.operation.type': 'mutation' } });
    expect(posting).toMatchObject({ parentSpanId: operation.spanId, attributes: { 'payments.posting.set_size': 1 } });
    expect(posting.attributes['payments.posting.wait_ms']).toBeGreaterThanOrEqual(0);
    expect(publication).toMatchObject({ parentSpanId: posting.spanId });
    expect(publication.attributes['payments.outbox.events']).toBeGreaterThanOrEqual(2);
    expect(publication.attributes['payments.outbox.lag_ms']).toBeGreaterThan(0);
    expect(delivery).toMatchObject({ parentSpanId: posting.spanId, kind: 3 });
    expect(delivery.attributes).toMatchObject({ 'payments.attempt': 1, 'http.response.status_code': 200 });

    // The receiver goes on from the delivery, and the rows name the trace.
    expect(receiver.at('/hook').map(({ headers }) => headers['traceparent'])).toContain(`00-${trace}-${delivery.spanId}-01`);
    expect(await query(harness, 'SELECT trace_id FROM transfer WHERE id = $1', [transfer.id])).toEqual([{ trace_id: trace }]);
    expect(receiver.at('/v1/traces')[0]?.json.resourceSpans[0].resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'bank' },
    });
  });

  it('begins a trace where the caller has none, or a malformed one, and keeps its id', async () => {
    const seen = new Set<string>();
    for (const header of [
      undefined,
      'not a trace',
      `00-${'0'.repeat(32)}-${parent}-01`,
      `00-${trace}-${parent}-01-more`,
      'x'.repeat(5_000),
    ]) {
      const { data: transfer } = await pay('1.00', header === undefined ? {} : { traceparent: header });
      const [row] = await query(harness, 'SELECT trace_id FROM transfer WHERE id = $1', [transfer.id]);
      await arrived(() => {
        const [request] = named('POST /v1/transfers').filter(({ traceId }) => traceId === row?.['trace_id']);
        expect(request).toBeDefined();
        expect(request?.parentSpanId).toBeUndefined();
      });
      seen.add(String(row?.['trace_id']));
    }
    expect(seen.size).toBe(5);
    expect(seen).not.toContain(trace);
  });

  it('is not traced when its caller does not want it, and its trace goes through all the same', async () => {
    await subscribe(harness.test, receiver, '/quiet', ['transfer.completed']);
    await pay('1.00', { traceparent: `00-${trace}-${parent}-00` });
    await harness.runDue();
    expect(receiver.at('/quiet').map(({ headers }) => headers['traceparent'])).toContain(`00-${trace}-${parent}-00`);
    await harness.test.get('/v1/me');
    await arrived(() => expect(named('GET /v1/me')).toHaveLength(1));
    expect(spans().filter(({ traceId }) => traceId === trace)).toEqual([]);
  });

  it('says what refused it, and nothing that was sent', async () => {
    const refused = await pay('99.00', { 'X-Request-Id': 'mine' });
    expect(refused.code).toBe('insufficient_balance');
    await arrived(() => expect(named('POST /v1/transfers')).toHaveLength(1));
    const [request] = named('POST /v1/transfers');
    // That of the money which the wallet was opened with may come late.
    const posting = named('posting').find(({ traceId }) => traceId === request?.traceId);
    expect(request?.attributes).toMatchObject({
      'http.response.status_code': 422,
      'error.type': 'insufficient_balance',
      'payments.request_id': 'mine',
    });
    // A refusal is no fault of ours, so it does not stand out.
    expect(request?.status.code).toBe(0);
    expect(posting?.status.code).toBe(2);
    const told = JSON.stringify(spans());
    for (const secret of [harness.test.key, '99.00', 'Bearer']) expect(told).not.toContain(secret);
  });

  it('names an operation of /graphql in an attribute', async () => {
    const name = `pay${'y'.repeat(125)}`;
    await harness.test.graphql(`query ${name} { me { id } }`);
    await arrived(() => expect(named('POST /graphql')).toHaveLength(1));
    const [operation] = named('query');
    expect(operation?.parentSpanId).toBe(named('POST /graphql')[0]?.spanId);
    expect(operation?.attributes['graphql.operation.name']).toBe(name);
  });

  it('leaves probes out', async () => {
    for (const path of ['/health', '/ready', '/metrics']) await harness.test.get(path);
    await harness.test.get('/v1/me');
    await arrived(() => expect(named('GET /v1/me')).toHaveLength(1));
    expect(spans().filter(({ attributes }) => String(attributes['http.route']).startsWith('/v1/me'))).toEqual(
      spans().filter(({ kind }) => kind === 2),
    );
  });
});

describe('the name of the service', () => {
  async function nameBy(env: Record<string, string>): Promise<unknown> {
    const { tracing } = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...env });
    if (tracing === null) throw new Error('nothing is traced');
    receiver.received.length = 0;
    const opened = openTracing(tracing, createLogger('silent'));
    opened.request('GET', undefined, {})?.end();
    await opened.close();
    const attributes: Json[] = receiver.at('/v1/traces')[0]?.json.resourceSpans[0].resource.attributes;
    return attributes.find(({ key }) => key === 'service.name')?.['value'].stringValue;
  }

  it('is that of OTEL_SERVICE_NAME, else of OTEL_RESOURCE_ATTRIBUTES, else ours', async () => {
    expect(await nameBy({})).toBe('agent-payments');
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'service.name=shop,deployment.environment=prod');
    expect(await nameBy({})).toBe('shop');
    expect(await nameBy({ OTEL_SERVICE_NAME: 'bank' })).toBe('bank');
  });
});

describe('sampling', () => {
  /** How many of `requests` are traced. */
  async function traced(env: Record<string, string>, requests: number, caller?: TracePlace): Promise<number> {
    const { tracing } = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...env });
    if (tracing === null) throw new Error('nothing is traced');
    const opened = openTracing(tracing, createLogger('silent'));
    const begun = Array.from({ length: requests }, () => opened.request('GET', caller, {}));
    for (const span of begun) span?.end();
    receiver.received.length = 0;
    await opened.close();
    return begun.filter((span) => span !== undefined).length;
  }
  const wanted = { traceId: trace, span: `${parent}-01` };
  const unwanted = { traceId: trace, span: `${parent}-00` };

  it('takes every request while there are few, and few of many, whatever callers want', async () => {
    expect(await traced({}, 30)).toBe(30);
    expect(spans()).toHaveLength(30);
    expect(await traced({}, 2_000)).toBeLessThan(200);
    expect(await traced({}, 2_000, wanted)).toBeLessThan(200);
    expect(await traced({}, 10, unwanted)).toBe(0);
  });

  it('is what OTEL_TRACES_SAMPLER says', async () => {
    const by = (sampler: string, caller?: TracePlace, share?: string) =>
      traced({ OTEL_TRACES_SAMPLER: sampler, ...(share && { OTEL_TRACES_SAMPLER_ARG: share }) }, 1_000, caller);
    expect(await by('always_on', unwanted)).toBe(1_000);
    expect(await by('always_off', wanted)).toBe(0);
    expect(await by('parentbased_always_on', unwanted)).toBe(0);
    expect(await by('parentbased_always_off', wanted)).toBe(1_000);
    const half = await by('parentbased_traceidratio', undefined, '0.5');
    expect(half).toBeGreaterThan(400);
    expect(half).toBeLessThan(600);
    expect(await by('traceidratio', undefined, '0')).toBe(0);
    expect(() => loadConfig({ OTEL_TRACES_SAMPLER: 'sometimes', OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(
      /OTEL_TRACES_SAMPLER must be one of [\s\S]*OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
    );
  });
});
