// What sending tells of itself: what became of attempts, how many deliveries were given up, and how many wait.
import { Counter } from 'prom-client';
import { type GaugeGroup, mostCounted } from '../../platform/gauge.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** `refused`: by the egress guard; `abandoned`: the process ended meanwhile. */
export const attempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Sends of webhook deliveries by this process: delivered, failed (answered otherwise than 2xx), no_answer, refused or abandoned.',
  labelNames: ['outcome'],
  registers: [],
});

export const deadLetters = new Counter({
  name: 'webhook_dead_letters_total',
  help: 'Deliveries that this process moved to the dead-letter queue, by why.',
  labelNames: ['reason'],
  registers: [],
});

// There from the start: an alert sees it grow, and would not see it appear.
deadLetters.inc({ reason: 'attempts_exhausted' }, 0);

const held = "waits_for IS NOT NULL AND due_at IS NULL AND status IN ('pending', 'failed')";

/** The gauges of deliveries, over all processes. */
export const deliveryGauges: GaugeGroup = {
  name: 'webhooks',
  gauges: [
    {
      name: 'webhook_deliveries',
      label: 'state',
      help: `Deliveries that wait for a send or a retry (waiting), for a turn at the gate of their host (held), and those in the dead-letter queue (dead): at most ${mostCounted} are counted.`,
    },
  ],
  async read({ database }) {
    const count = (where: string) =>
      `(SELECT count(*) FROM (SELECT FROM webhook_delivery WHERE ${where} LIMIT ${mostCounted}) counted)::int`;
    const { rows } = await byIndex(database.pool, (tx) =>
      tx.query<{ waiting: number; held: number; dead: number }>(
        `SELECT ${count('due_at IS NOT NULL AND lease_until IS NULL')} AS waiting, ${count(held)} AS held,
           ${count("status = 'dlq'")} AS dead`,
      ),
    );
    return rows.flatMap(({ waiting, held: behindGates, dead }) => [
      { name: 'webhook_deliveries', label: 'waiting', value: waiting },
      { name: 'webhook_deliveries', label: 'held', value: behindGates },
      { name: 'webhook_deliveries', label: 'dead', value: dead },
    ]);
  },
};
