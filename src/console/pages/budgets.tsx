// The budgets, and what is left of each.
import type { Answers } from '../answers.js';
import { amount, moment, percent, share, words } from '../format.js';
import { ListPanel } from '../list.js';
import { useNames } from '../names.js';
import { Badge } from '../panel.js';

type Budget = Answers['Budgets']['budgets']['nodes'][number];

const periods: Readonly<Record<string, string>> = { once: 'In all', day: 'Day', week: 'Week', month: 'Month' };

/** Spent, reserved and left, as parts of one bar. Spent is plain, reserved is striped. */
function Bar({ budget: { spent, reserved, amount: whole, alertsAt } }: { budget: Budget }) {
  return (
    <span class="budget-bar" aria-hidden="true">
      <span class="spent" style={{ width: `${share(spent, whole) * 100}%` }} />
      <span class="reserved" style={{ width: `${share(reserved, whole) * 100}%` }} />
      {alertsAt.map((part) => (
        <span key={part} class="alert-at" style={{ left: `${part * 100}%` }} />
      ))}
    </span>
  );
}

function State({ budget: { spent, reserved, amount: whole, remaining, alertsAt } }: { budget: Budget }) {
  const used = share(spent, whole) + share(reserved, whole);
  if (Number(remaining) <= 0) return <Badge tone="bad">Used up</Badge>;
  if (alertsAt.some((part) => used >= part)) return <Badge tone="warn">{percent(used)} used</Badge>;
  return <Badge tone="good">{percent(used)} used</Badge>;
}

function scopeName({ type, id }: Budget['scope'], nameOf: (id: string) => string): string {
  if (id === null) return 'Everybody';
  return type === 'trace' ? `Trace ${id}` : nameOf(id);
}

const columnsOf = (nameOf: (id: string) => string) => [
  {
    label: 'Budget',
    render: ({ name, scope }: Budget) => (
      <>
        {name}
        <span class="soft block">{scopeName(scope, nameOf)}</span>
      </>
    ),
  },
  {
    label: 'Use',
    render: (budget: Budget) => (
      <>
        <Bar budget={budget} />
        <State budget={budget} />
      </>
    ),
  },
  { label: 'Currency', render: ({ currency }: Budget) => currency },
  { label: 'Amount', isFigure: true, render: (budget: Budget) => amount(budget.amount) },
  { label: 'Spent', isFigure: true, render: ({ spent }: Budget) => amount(spent) },
  { label: 'Reserved', isFigure: true, render: ({ reserved }: Budget) => amount(reserved) },
  { label: 'Left', isFigure: true, render: ({ remaining }: Budget) => <strong>{amount(remaining)}</strong> },
  {
    label: 'Period',
    render: ({ period, resetsAt, expiresAt }: Budget) => (
      <>
        {periods[period] ?? words(period)}
        <span class="soft block">
          {resetsAt !== null ? `Resets ${moment(resetsAt)}` : expiresAt !== null ? `Until ${moment(expiresAt)}` : ''}
        </span>
      </>
    ),
  },
];

/** What the parts of a bar mean. */
function Key() {
  return (
    <p class="hint key" aria-hidden="true">
      <span class="budget-bar sample">
        <span class="spent" />
      </span>{' '}
      spent{' '}
      <span class="budget-bar sample">
        <span class="reserved" />
      </span>{' '}
      reserved <span class="alert-at sample" /> warning
    </p>
  );
}

/** The page. */
export function Budgets() {
  const nameOf = useNames();
  return (
    <ListPanel
      title="All budgets"
      what="budgets"
      query="Budgets"
      variables={{}}
      pageOf={({ budgets }) => budgets}
      columns={columnsOf(nameOf)}
      above={() => <Key />}
      empty={{
        title: 'There are no budgets yet.',
        children: (
          <>
            A budget caps what is spent in a day, a week, a month or in all: <a href="/docs#/spending/createBudget">POST /v1/budgets</a>.
          </>
        ),
      }}
    />
  );
}
