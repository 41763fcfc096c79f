// What /metrics says of logs of evidence.
import { type GaugeGroup, mostCounted } from '../../platform/gauge.js';

export const evidenceGauges: GaugeGroup = {
  name: 'evidence',
  gauges: [
    { name: 'evidence_logs_halted', help: 'Logs of evidence that sign nothing until an operator has looked.' },
    { name: 'evidence_logs_behind', help: 'Logs of evidence that have grown since their last signed head.' },
  ],
  read: async ({ database }) => {
    const { rows } = await database.pool.query<{ halted: number; behind: number }>({
      name: 'evidence-gauges',
      text: `SELECT (SELECT count(*)::int FROM (SELECT workspace_id FROM evidence_log WHERE state = 'halted' LIMIT $1) h) AS halted,
        (SELECT count(*)::int FROM (SELECT workspace_id FROM audit_head WHERE moved LIMIT $1) m) AS behind`,
      values: [mostCounted],
    });
    const [row] = rows;
    return row === undefined
      ? []
      : [
          { name: 'evidence_logs_halted', value: row.halted },
          { name: 'evidence_logs_behind', value: row.behind },
        ];
  },
};
