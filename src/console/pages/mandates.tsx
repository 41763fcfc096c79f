// The mandates: who may spend what of which account, and how much of it is used; and one mandate with what was paid by it.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Detail } from '../detail.js';
import { Dialog } from '../dialog.js';
import { Facts, Id, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment, money } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Panel } from '../panel.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Row = Answers['Mandates']['mandates']['nodes'][number];
type Scope = Pick<Row['scope'], 'currency' | 'maxPerTx' | 'maxPerDay' | 'maxPerMonth'>;
type Execution = Answers['MandateExecutions']['mandateExecutions']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['active', 'suspended', 'expired', 'revoked'] },
  { name: 'agentId', label: 'Agent', placeholder: 'Agent id' },
  { name: 'accountId', label: 'Account', placeholder: 'Account id' },
];

/** The limits of a scope, such as `$50.00 a payment`. */
export function Limits({ scope: { currency, maxPerTx, maxPerDay, maxPerMonth } }: { scope: Scope }) {
  const limits = [
    [maxPerTx, 'a payment'],
    [maxPerDay, 'a day'],
    [maxPerMonth, 'a month'],
  ] as const;
  return (
    <ul class="plain">
      {limits.map(([max, per]) => max !== null && <li key={per}>{`${money(max, currency)} ${per}`}</li>)}
      {limits.every(([max]) => max === null) && <li>No limit in {currency}</li>}
    </ul>
  );
}

const columns = [
  {
    label: 'Mandate',
    render: ({ id, agent, account }: Row) => (
      <>
        <PageLink page={`mandates/${id}`}>{agent?.name ?? 'Agent'}</PageLink>
        <span class="soft block">for {account?.name}</span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Row) => <Status is={status} /> },
  { label: 'At most', isFigure: true, render: ({ scope }: Row) => <Limits scope={scope} /> },
  { label: 'Used today', isFigure: true, render: ({ usage, scope }: Row) => money(usage.today, scope.currency) },
  { label: 'Used this month', isFigure: true, render: ({ usage, scope }: Row) => money(usage.month, scope.currency) },
  {
    label: 'Left today',
    isFigure: true,
    render: ({ usage, scope }: Row) => (usage.remainingDaily === null ? '–' : money(usage.remainingDaily, scope.currency)),
  },
  { label: 'Expires', render: ({ expiresAt }: Row) => moment(expiresAt) },
];

/** The page. */
export function Mandates() {
  return (
    <ListPanel
      title="All mandates"
      what="mandates"
      query="Mandates"
      pageOf={({ mandates }) => mandates}
      filters={filters}
      columns={columns}
      empty={{
        title: 'There are no mandates yet.',
        children: (
          <>
            A mandate lets an agent spend the money of an account: <a href="/docs#/mandates/createMandate">POST /v1/ap2/mandates</a>.
          </>
        ),
      }}
    />
  );
}

const executions = [
  {
    label: 'Payment',
    render: ({ transferId, description }: Execution) => <PageLink page={`payments/${transferId}`}>{description ?? 'Payment'}</PageLink>,
  },
  { label: 'State', render: ({ status }: Execution) => <Status is={status} /> },
  { label: 'Asked', render: ({ createdAt }: Execution) => moment(createdAt) },
  { label: 'Amount', isFigure: true, render: ({ amount, currency }: Execution) => money(amount, currency) },
];

function RevokeButton({ id }: { id: string }) {
  const [isAsked, setAsked] = useState(false);
  if (!useMay()('mandates:write')) return null;
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Revoke
      </button>
      {isAsked && (
        <Dialog
          title="Revoke the mandate?"
          action="Revoke the mandate"
          isDangerous
          remark="Reason (optional)"
          onConfirm={async ({ remark, idempotencyKey }) => {
            await ask('RevokeMandate', { id, input: { reason: remark ?? null } }, { idempotencyKey });
            say('The mandate is revoked.');
          }}
          onClose={() => setAsked(false)}
        >
          <p>Nothing more is paid by it. This cannot be undone.</p>
        </Dialog>
      )}
    </>
  );
}

/** One mandate. */
export function Mandate({ id }: { id: string }) {
  return (
    <Detail
      what="the mandate"
      back={{ page: 'mandates', title: 'mandates' }}
      query="Mandate"
      variables={{ id }}
      nameOf={({ mandate }) => `Mandate of ${mandate.agent?.name ?? 'an agent'}`}
    >
      {({ mandate: { scope, usage, agent, account, ...mandate } }) => (
        <>
          <Panel title={`${agent?.name ?? 'An agent'} for ${account?.name ?? 'an account'}`} tools={<Status is={mandate.status} />}>
            <Facts
              facts={[
                ['At most', <Limits key="limits" scope={scope} />],
                ['Used today', money(usage.today, scope.currency)],
                ['Used this month', money(usage.month, scope.currency)],
                ['Left today', usage.remainingDaily === null ? null : money(usage.remainingDaily, scope.currency)],
                ['Left this month', usage.remainingMonthly === null ? null : money(usage.remainingMonthly, scope.currency)],
                ['Payments', String(usage.executions)],
                ['Categories', scope.allowedMerchantCategories?.join(', ')],
                ['Allowed merchants', scope.allowedMerchants?.join(', ')],
                ['Blocked merchants', scope.blockedMerchants?.join(', ')],
                ['Agent', agent === null ? null : <PageLink page={`agents/${agent.id}`}>{agent.name}</PageLink>],
                ['Account', account === null ? null : <PageLink page={`accounts/${account.id}`}>{account.name}</PageLink>],
                ['Version', String(mandate.version)],
                ['Created', when(mandate.createdAt)],
                ['Expires', when(mandate.expiresAt)],
                ['Revoked', when(mandate.revokedAt)],
                ['Why revoked', mandate.revokedReason],
                ['Id', <Id key="id" value={mandate.id} />],
              ]}
            />
            {mandate.status !== 'revoked' && mandate.status !== 'expired' && (
              <div class="buttons">
                <RevokeButton id={id} />
              </div>
            )}
          </Panel>
          <ListPanel
            title="Payments"
            what="payments"
            query="MandateExecutions"
            variables={{ id }}
            pageOf={({ mandateExecutions }) => mandateExecutions}
            columns={executions}
            empty={{ title: 'There are no payments yet.', children: 'Its payments appear here when the agent makes them.' }}
          />
        </>
      )}
    </Detail>
  );
}
