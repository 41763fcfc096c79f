// What the spans of one transfer cost in CPU, without a platform around them: sampled and sent, not sampled, and not traced at all.
// Unlike rates this hardly depends on what else the machine does.
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../src/platform/log.js';
import { inSpanOf, type TraceSpan } from '../src/platform/trace.js';
import { openTracing } from '../src/platform/trace-export.js';
import type { TracingConfig } from '../src/setting.js';

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Microseconds of CPU for the spans of a request: its own, operation, posting, publication. */
export async function traceCost(endpoint: string, sampler: TracingConfig['sampler'], requests: number): Promise<number> {
  const tracing = openTracing({ endpoint, serviceName: 'bench', sampler, ratio: 1 }, createLogger('silent'));
  const before = cpuMicros();
  for (let n = 0; n < requests; n += 1) {
    const span = tracing.request('POST', undefined, { 'http.request.method': 'POST', 'payments.request_id': `req_${n}` });
    const owner: { span?: TraceSpan | undefined } = { span };
    await inSpanOf(owner, 'mutation createTransfer', { 'graphql.operation.name': 'createTransfer' }, async () => {
      const posting = owner.span?.below('posting');
      if (posting === undefined) return;
      posting.set({ 'payments.posting.set_size': 20, 'payments.posting.wait_ms': 1.5 });
      posting.end();
      tracing.follow('publication', posting.place, { 'payments.outbox.events': 40, 'payments.outbox.lag_ms': 12 })?.end();
    });
    span?.set({ 'http.route': '/v1/transfers', 'http.response.status_code': 201 });
    span?.end();
    // As requests come: the exporter has its turn, and no queue overflows.
    if (span !== undefined && n % 100 === 0) await pause(25);
  }
  await tracing.close();
  return (cpuMicros() - before) / requests;
}

/** Nanoseconds of CPU for a place where a span would begin, in a request that is not traced. */
export function untracedCost(times: number): number {
  const owner = {};
  let n = 0;
  const before = cpuMicros();
  while (n < times) inSpanOf(owner, 'mutation createTransfer', { 'graphql.operation.name': 'createTransfer' }, () => (n += 1));
  return ((cpuMicros() - before) * 1_000) / times;
}
