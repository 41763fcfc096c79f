// What several processes have counted, added up (src/http/shared-metrics.ts), while some of them begin and end.
import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { metricsOfAll, SharedMetrics } from '../../src/http/shared-metrics.js';
import { Line } from '../../src/platform/processes/line.js';

/** A process beside the first one, without a process: what one says the other hears at once. */
function launch(shared: SharedMetrics) {
  const lines: { near?: Line; far?: Line } = {};
  const near = new Line((message) => lines.far?.hear(message), shared.answerers);
  const far = new Line((message) => lines.near?.hear(message));
  Object.assign(lines, { near, far });
  const leave = shared.join(near);
  return {
    /** From now on it says what it has counted. */
    begin(count: number) {
      const registry = new Registry();
      const paid = new Counter({ name: 'paid', help: 'Payments.', registers: [registry] });
      paid.inc(count);
      return { paid, metrics: metricsOfAll(registry, far) };
    },
    end() {
      near.close();
      return leave();
    },
  };
}

const paidIn = (text: string) => Number(/^paid (\d+)$/m.exec(text)?.[1]);

it('counts what the others have, while one has begun that knows nothing yet', async () => {
  const shared = new SharedMetrics();
  const { metrics } = launch(shared).begin(3);
  const late = launch(shared);
  expect(paidIn(await metrics.metrics())).toBe(3);
  await late.end();
  expect(paidIn(await metrics.metrics())).toBe(3);
});

it('keeps what was counted by those that end at once, and counts it once', async () => {
  const shared = new SharedMetrics();
  const { metrics } = launch(shared).begin(1);
  const others = [10, 100, 1_000].map((count) => {
    const other = launch(shared);
    other.begin(count);
    return other;
  });
  expect(paidIn(await metrics.metrics())).toBe(1_111);
  const asked = [metrics.metrics()];
  const ended = others.map((other) => {
    asked.push(metrics.metrics());
    return other.end();
  });
  asked.push(metrics.metrics());
  await Promise.all(ended);
  asked.push(metrics.metrics());
  expect((await Promise.all(asked)).map(paidIn)).toEqual(Array(asked.length).fill(1_111));
});
