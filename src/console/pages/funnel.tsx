// What became of the checkouts that were opened: how many were paid, and where the others stand.
import { count, duration, percent, words } from '../format.js';
import { Empty } from '../panel.js';

export interface Demand {
  sessionsOpened: number;
  sessionsCompleted: number;
  completionRate: number;
  averageTimeToCompleteSeconds: number | null;
  medianTimeToCompleteSeconds: number | null;
  dropOff: readonly { stage: string; count: number; share: number }[];
}

const stages: Readonly<Record<string, string>> = { created: 'Still open', pending_payment: 'Waiting for payment' };

function Bar({ label, value, part, kind }: { label: string; value: number; part: number; kind: string }) {
  return (
    <li class={`funnel-bar ${kind}`}>
      <span class="label">{label}</span>
      <span class="track" aria-hidden="true">
        {part > 0 && <span class="fill" style={{ width: `${part * 100}%` }} />}
      </span>
      <span class="figure">{count(value)}</span>
      <span class="figure">{percent(part)}</span>
    </li>
  );
}

/** The funnel, from opened to paid and to each way out. */
export function Funnel({ demand }: { demand: Demand }) {
  const { sessionsOpened, sessionsCompleted, completionRate, averageTimeToCompleteSeconds, medianTimeToCompleteSeconds, dropOff } = demand;
  if (sessionsOpened === 0)
    return <Empty title="No checkout was opened in this time.">Agents open them by ACP or UCP; the reference at /docs shows how.</Empty>;
  return (
    <>
      <ul class="funnel" aria-label="Checkouts, with their number and their part of those that were opened">
        <Bar label="Opened" value={sessionsOpened} part={1} kind="all" />
        <Bar label="Paid" value={sessionsCompleted} part={completionRate} kind="good" />
        {dropOff.map(({ stage, count: value, share }) => (
          <Bar key={stage} label={stages[stage] ?? words(stage)} value={value} part={share} kind="out" />
        ))}
      </ul>
      {medianTimeToCompleteSeconds !== null && averageTimeToCompleteSeconds !== null && (
        <p class="hint">
          From opening to payment: {duration(medianTimeToCompleteSeconds)} in the median, {duration(averageTimeToCompleteSeconds)} on
          average.
        </p>
      )}
    </>
  );
}
