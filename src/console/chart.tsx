// Columns over time, one part for each protocol, drawn by uPlot. Beside the picture stand its legend, which says the figures of the
// column that is pointed at, and the same as a table.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { bucketName, count, dollars, moment, short, sum, zone } from './format.js';
import { colourOf, fillOf, type Protocol, protocolName, protocols, Swatch } from './protocol.js';
import { useTheme } from './theme.js';

export interface Bucket {
  timestamp: string;
  total: string | number;
  byProtocol: Record<string, string | number>;
}

export interface ChartProps {
  title: string;
  unit: 'usd' | 'count';
  bucket: 'hour' | 'day';
  buckets: readonly Bucket[];
  total: string | number;
  /** What to do where nothing happened. */
  empty: string;
}

const figure = (value: string | number, unit: ChartProps['unit']) => (unit === 'usd' ? dollars(String(value)) : count(Number(value)));
const height = 260;

/** For each protocol the top of its part of each column, the outermost first: what is drawn later covers it. */
function stack(buckets: readonly Bucket[], shown: readonly Protocol[]): uPlot.AlignedData {
  const tops = shown.map((_, index) =>
    buckets.map(({ byProtocol }) => shown.slice(0, index + 1).reduce((top, protocol) => top + Number(byProtocol[protocol] ?? 0), 0)),
  );
  return [buckets.map((_, index) => index), ...tops.reverse()] as uPlot.AlignedData;
}

/** So many columns apart that their names do not touch. */
function everyNth(columns: number, width: number): number {
  return Math.max(1, Math.ceil((columns * 62) / Math.max(1, width)));
}

function optionsOf(
  { unit, bucket, buckets }: ChartProps,
  shown: readonly Protocol[],
  width: number,
  point: (at: number | null) => void,
): uPlot.Options {
  const text = colourOf('text-soft');
  const axis: uPlot.Axis = { stroke: text, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif', labelSize: 20 };
  const bars = uPlot.paths.bars?.({ size: [0.72, 44], align: 0 });
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, buckets.length - 0.4] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        label: bucket === 'hour' ? `Hour (${zone(buckets.at(-1)?.timestamp ?? 0)})` : 'Day (UTC)',
        size: 34,
        grid: { show: false },
        ticks: { show: false },
        splits: ({ bbox }) => {
          const step = everyNth(buckets.length, bbox.width / devicePixelRatio);
          return buckets.map((_, index) => index).filter((index) => (buckets.length - 1 - index) % step === 0);
        },
        values: (_, splits) => splits.map((index) => bucketName(buckets[index]?.timestamp ?? '', bucket)),
      },
      {
        ...axis,
        label: unit === 'usd' ? 'US dollars' : 'Operations',
        size: 58,
        ...(unit === 'count' && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7] }),
        grid: { stroke: colourOf('line'), width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => short(value, unit)),
      },
    ],
    series: [
      {},
      ...[...shown].reverse().map((protocol) => ({
        label: protocolName(protocol),
        fill: () => fillOf(protocol) as string,
        stroke: colourOf('surface'),
        width: 1,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => point(idx ?? null)] },
  };
}

/** A question and its answer in columns. */
export function Chart(props: ChartProps) {
  const { unit, bucket, buckets, total, empty, title } = props;
  const shown = useMemo(() => protocols.filter((name) => buckets.some(({ byProtocol }) => Number(byProtocol[name] ?? 0) > 0)), [buckets]);
  const [pointed, setPointed] = useState<number | null>(null);
  const column = pointed === null ? undefined : buckets[pointed];
  const shownFigure = (protocol: Protocol) => {
    if (column !== undefined) return figure(column.byProtocol[protocol] ?? 0, unit);
    const values = buckets.map(({ byProtocol }) => String(byProtocol[protocol] ?? 0));
    return figure(sum(values), unit);
  };
  const isEmpty = shown.length === 0;
  return (
    <div class="chart">
      <p class="readout" aria-hidden="true">
        <strong>{figure(column?.total ?? total, unit)}</strong>
        <span>
          {column === undefined
            ? 'in all'
            : bucket === 'hour'
              ? `${moment(column.timestamp)} ${zone(column.timestamp)}`
              : `${bucketName(column.timestamp, 'day')} (UTC)`}
        </span>
      </p>
      {isEmpty ? <p class="nothing">{empty}</p> : <Picture {...props} shown={shown} point={setPointed} />}
      <ul class="legend" aria-label={`${title} By protocol`}>
        {protocols.map((protocol) => (
          <li key={protocol} class={shown.includes(protocol) ? undefined : 'absent'}>
            <Swatch protocol={protocol} />
            <span>{protocolName(protocol)}</span>
            <span class="figure">{shownFigure(protocol)}</span>
          </li>
        ))}
      </ul>
      <AsTable {...props} />
    </div>
  );
}

function Picture(props: ChartProps & { shown: readonly Protocol[]; point: (at: number | null) => void }) {
  const { shown, point, buckets, bucket, unit, total, title } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const theme = useTheme();
  const made = `${theme} ${shown.join()} ${unit} ${bucket} ${buckets[0]?.timestamp} ${buckets.length}`;

  // made again where its shape changes; new figures are set below
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawn = new uPlot(optionsOf(props, shown, element.clientWidth, point), stack(buckets, shown), element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== drawn.width) drawn.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [made]);
  useEffect(() => plot.current?.setData(stack(buckets, shown)), [buckets, shown]);

  const label = `${title} ${figure(total, unit)} in all, in columns by ${bucket}. The table below has every figure.`;
  return <div ref={place} class="picture" role="img" aria-label={label} />;
}

function AsTable({ title, unit, bucket, buckets }: ChartProps) {
  return (
    <details>
      <summary>Show as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <section class="scroll" tabIndex={0} aria-label={`${title} As a table`}>
        <table>
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{bucket === 'hour' ? `Hour (${zone(buckets.at(-1)?.timestamp ?? 0)})` : 'Day (UTC)'}</th>
              {protocols.map((protocol) => (
                <th key={protocol} scope="col" class="figure">
                  {protocolName(protocol)}
                </th>
              ))}
              <th scope="col" class="figure">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {[...buckets].reverse().map(({ timestamp, byProtocol, total }) => (
              <tr key={timestamp}>
                <th scope="row">{bucket === 'hour' ? moment(timestamp) : bucketName(timestamp, bucket)}</th>
                {protocols.map((protocol) => (
                  <td key={protocol} class="figure">
                    {figure(byProtocol[protocol] ?? 0, unit)}
                  </td>
                ))}
                <td class="figure">{figure(total, unit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
