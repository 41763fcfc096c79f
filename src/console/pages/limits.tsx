// What one agent may still spend: by its tier, under budgets, and as policies say.
import { amount, money, words } from '../format.js';
import { Empty, States } from '../panel.js';
import { useQuery } from '../query.js';
import { Table } from '../table.js';

interface Limit {
  key: string;
  source: string;
  name: string;
  per: string;
  currency: string | null;
  max: string | null;
  used: string | null;
  left: string;
}

const figure = (text: string | null, currency: string | null) =>
  text === null ? '–' : currency === null ? amount(text) : money(text, currency);

function useLimits(id: string) {
  const query = useQuery('AgentLimits', { id });
  const limits = query.data?.agentLimits;
  const rows: Limit[] | undefined = limits && [
    ...limits.kya.map((cap) => ({
      key: `kya ${cap.per} ${cap.currency}`,
      source: 'KYA tier',
      name: `Tier ${limits.kyaTier}`,
      per: cap.per,
      currency: cap.currency,
      max: cap.max,
      used: cap.per === 'tx' ? null : cap.used,
      left: cap.remaining,
    })),
    ...limits.budgets.map((budget) => ({
      key: `budget ${budget.budgetId}`,
      source: 'Budget',
      name: budget.name,
      per: budget.period,
      currency: budget.currency,
      max: budget.amount,
      used: budget.spent,
      left: budget.remaining,
    })),
    ...limits.policies.map((policy) => ({
      key: `policy ${policy.policyId} ${policy.ruleId}`,
      source: 'Policy',
      name: policy.name,
      per: policy.per,
      currency: policy.currency,
      max: policy.max,
      used: policy.used,
      left: policy.remaining,
    })),
  ];
  return { query, rows };
}

const spans: Readonly<Record<string, string>> = { tx: 'Transaction', once: 'In all' };

/** The limits of an agent, as a table. */
export function Limits({ id, name }: { id: string; name: string }) {
  const { query, rows } = useLimits(id);
  return (
    <States asked={query} what={`the limits of ${name}`} isLoaded={rows !== undefined}>
      {rows?.length === 0 ? (
        <Empty title="Nothing limits this agent but its balance.">
          Set a budget by <a href="/docs#/spending/createBudget">POST /v1/budgets</a>, or caps for its KYA tier.
        </Empty>
      ) : (
        <Table
          caption={`Limits of ${name}`}
          rows={rows ?? []}
          keyOf={({ key }) => key}
          columns={[
            {
              label: 'Limit',
              render: (row) => (
                <>
                  {row.name} <span class="soft">{row.source}</span>
                </>
              ),
            },
            { label: 'Per', render: ({ per }) => spans[per] ?? words(per) },
            { label: 'At most', isFigure: true, render: ({ max, currency }) => figure(max, currency) },
            { label: 'Used', isFigure: true, render: ({ used, currency }) => figure(used, currency) },
            { label: 'Left', isFigure: true, render: ({ left, currency }) => <strong>{figure(left, currency)}</strong> },
          ]}
        />
      )}
    </States>
  );
}
