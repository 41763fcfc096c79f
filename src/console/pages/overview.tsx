// The first page: how much happens, by which protocol, whether it succeeds, what becomes of checkouts, and what happens right now.
import { useState } from 'preact/hooks';
import { Chart } from '../chart.js';
import { workspaceClock } from '../clock.js';
import { count, dollars, moment, percent, zone } from '../format.js';
import { Empty, Panel, States, Tile } from '../panel.js';
import { protocolName } from '../protocol.js';
import { useQuery } from '../query.js';
import { Table } from '../table.js';
import { type Demand, Funnel } from './funnel.js';
import { Live } from './live.js';

const ranges = {
  '24h': { label: '24 hours', buckets: 24, ms: 3_600_000 },
  '7d': { label: '7 days', buckets: 7, ms: 86_400_000 },
  '30d': { label: '30 days', buckets: 30, ms: 86_400_000 },
} as const;
type Range = keyof typeof ranges;

/** The first of the whole buckets that end with the current one, as the reports of the API have them. */
function startOf(range: Range): string {
  const { buckets, ms } = ranges[range];
  return new Date((Math.floor(workspaceClock.now() / ms) - buckets + 1) * ms).toISOString();
}

function RangeChoice({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  return (
    <fieldset class="choice">
      <legend class="hidden">Time range</legend>
      {(Object.keys(ranges) as Range[]).map((name) => (
        <label key={name}>
          <input type="radio" name="range" value={name} checked={name === range} onChange={() => choose(name)} />
          <span>{ranges[name].label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface Stat {
  protocol: string;
  totalVolumeUsd: string;
  transactionCount: number;
  averageAmountUsd: string;
  successRate: number;
}

function SuccessTable({ stats }: { stats: readonly Stat[] }) {
  const used = stats.filter(({ transactionCount }) => transactionCount > 0);
  if (used.length === 0) return <Empty title="Nothing has ended in this time.">Choose a longer time range, or make a first payment.</Empty>;
  return (
    <Table
      caption="Success by protocol"
      rows={[...used].sort((a, b) => b.transactionCount - a.transactionCount)}
      keyOf={({ protocol }) => protocol}
      columns={[
        { label: 'Protocol', render: ({ protocol }) => protocolName(protocol) },
        {
          label: 'Succeeded',
          isFigure: true,
          render: ({ successRate }) => (
            <span class="rate">
              <meter min={0} max={1} value={successRate} aria-hidden="true" />
              <span>{percent(successRate)}</span>
            </span>
          ),
        },
        { label: 'Operations', isFigure: true, render: ({ transactionCount }) => count(transactionCount) },
        { label: 'Volume', isFigure: true, render: ({ totalVolumeUsd }) => dollars(totalVolumeUsd) },
        { label: 'Average', isFigure: true, render: ({ averageAmountUsd }) => dollars(averageAmountUsd) },
      ]}
    />
  );
}

/** The page. */
export function Overview() {
  const [range, choose] = useState<Range>('24h');
  const overview = useQuery('Overview', { start: startOf(range) }, { every: 30 });
  const insight = overview.data?.insight;
  const demand: Demand | undefined = insight?.demand.data;
  return (
    <>
      <div class="toolbar">
        <RangeChoice range={range} choose={choose} />
        <p class="hint">{insight === undefined ? '' : `Figures as of ${moment(insight.asOf)} ${zone(insight.asOf)}`}</p>
      </div>
      <div class="with-activity">
        <Live onRecorded={overview.refresh} />
        <States asked={overview} what="the figures" isLoaded={insight !== undefined}>
          {insight !== undefined && demand !== undefined && (
            <div class="overview" aria-busy={overview.isLoading}>
              <dl class="tiles">
                <Tile label="Volume" value={dollars(String(insight.distribution.total))} note="moved, in US dollars" />
                <Tile label="Operations" value={count(insight.summary.totalOperations)} note="of every kind" />
                <Tile
                  label="Success rate"
                  value={insight.summary.totalOperations === 0 ? '–' : percent(insight.summary.successRate)}
                  note="of what has ended"
                />
                <Tile label="Checkouts paid" value={count(demand.sessionsCompleted)} note={`of ${count(demand.sessionsOpened)} opened`} />
                <Tile label="External costs" value={dollars(insight.summary.totalExternalCostUsd)} note="of rails and networks" />
              </dl>
              <Panel title="Volume">
                <Chart
                  title="Volume"
                  unit="usd"
                  bucket={insight.volume.bucket}
                  buckets={insight.volume.data}
                  total={insight.distribution.total}
                  empty="No money moved in this time. Choose a longer time range, or make a first transfer."
                />
              </Panel>
              <Panel title="Operations">
                <Chart
                  title="Operations"
                  unit="count"
                  bucket={insight.count.bucket}
                  buckets={insight.count.data}
                  total={insight.summary.totalOperations}
                  empty="Nothing happened in this time. Choose a longer time range, or make a first transfer."
                />
              </Panel>
              <Panel title="Success by protocol" class="wider">
                <SuccessTable stats={insight.stats.data} />
              </Panel>
              <Panel title="Checkouts" class="narrower">
                <Funnel demand={demand} />
              </Panel>
            </div>
          )}
        </States>
      </div>
    </>
  );
}
