// What waits to be published, and how far the listeners are behind what is published.
import { isPresent } from '../platform/cell/present.js';
import { type GaugeGroup, mostCounted } from '../platform/gauge.js';

/** The gauges of the outbox. */
export const outboxGauges: GaugeGroup = {
  name: 'outbox',
  gauges: [
    { name: 'outbox_lines', help: `Lines of events that wait to be published: at most ${mostCounted} are counted.` },
    { name: 'outbox_oldest_seconds', help: 'How long the oldest of them has waited.' },
  ],
  async read({ database }) {
    const { rows } = await database.pool.query<{ lines: number; oldest: number }>(`
      SELECT (SELECT count(*) FROM (SELECT FROM outbox o WHERE ${isPresent('o')} LIMIT ${mostCounted}) counted)::int AS lines,
             coalesce((SELECT age_ms(written_at) FROM outbox o WHERE ${isPresent('o')} ORDER BY id LIMIT 1), 0) / 1000 AS oldest`);
    return rows.flatMap(({ lines, oldest }) => [
      { name: 'outbox_lines', value: lines },
      { name: 'outbox_oldest_seconds', value: oldest },
    ]);
  },
};

/** The newest publications, whose workspaces are looked at. */
const window = 1_000;

/** The gauge of the listeners: each is asked for the oldest publication that it has not heard, by index. */
export function listenerGauges(names: readonly string[]): GaugeGroup {
  return {
    name: 'listeners',
    gauges: [
      {
        name: 'listener_lag_seconds',
        label: 'listener',
        help: `Age of the oldest publication that a listener has not heard, in the workspaces of the newest ${window} publications.`,
      },
    ],
    async read({ database, clock }) {
      const { rows } = await database.pool.query<{ name: string; since: Date | null }>({
        name: 'listener-gauge',
        text: `
          SELECT l.name, min(unheard.published_at) AS since
          FROM unnest($1::text[]) AS l (name) CROSS JOIN (
            SELECT DISTINCT workspace_id FROM (SELECT workspace_id FROM publication ORDER BY number DESC LIMIT ${window}) newest
            WHERE ${isPresent('newest')}
          ) w LEFT JOIN LATERAL (
            SELECT published_at FROM publication p WHERE p.workspace_id = w.workspace_id AND p.number > coalesce(
              (SELECT e.number FROM event_listener e WHERE e.workspace_id = w.workspace_id AND e.name = l.name), 0) ORDER BY p.number LIMIT 1
          ) unheard ON true GROUP BY l.name`,
        values: [names],
      });
      const since = new Map(rows.map((row) => [row.name, row.since]));
      const ageOf = (at: Date | null | undefined) => (at ? Math.max(0, clock.now().getTime() - at.getTime()) / 1_000 : 0);
      return names.map((label) => ({ name: 'listener_lag_seconds', label, value: ageOf(since.get(label)) }));
    },
  };
}
