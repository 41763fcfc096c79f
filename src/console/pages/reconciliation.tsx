// Reconciliation: the reports that hold the ledger against the statements of rails, and what did not agree.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from '../answers.js';
import { ask } from '../api.js';
import { workspaceClock } from '../clock.js';
import { Dialog } from '../dialog.js';
import { when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { count, moment, money, words } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Report = Answers['Reports']['reconciliationReports']['nodes'][number];
type Discrepancy = Answers['Discrepancies']['discrepancies']['nodes'][number];

const reportColumns = [
  {
    label: 'Period',
    render: ({ period: { from, to } }: Report) => (from === to ? from : `${from} to ${to}`),
  },
  { label: 'Rail', render: ({ rail }: Report) => words(rail) },
  { label: 'State', render: ({ status }: Report) => <Status is={status} /> },
  { label: 'In the ledger', isFigure: true, render: ({ totals }: Report) => count(totals.ledgerEntries) },
  { label: 'In the statement', isFigure: true, render: ({ totals }: Report) => count(totals.railEntries) },
  { label: 'Matched', isFigure: true, render: ({ totals }: Report) => count(totals.matched) },
  {
    label: 'Discrepancies',
    isFigure: true,
    render: ({ id, totals }: Report) =>
      totals.discrepancies === 0 ? (
        '0'
      ) : (
        <PageLink page="reconciliation" query={{ reportId: id, status: 'all' }}>
          {count(totals.discrepancies)}
        </PageLink>
      ),
  },
  { label: 'Created', render: ({ createdAt }: Report) => moment(createdAt) },
];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['open', 'chasing', 'resolved', 'cleared'], initial: 'open' },
  { name: 'reportId', label: 'Report', placeholder: 'Report id' },
];

const types: Readonly<Record<string, string>> = {
  ledger_only: 'Only in the ledger',
  rail_only: 'Only in the statement',
  amount_mismatch: 'Amounts differ',
  timing_mismatch: 'Days differ',
  duplicate: 'Stated twice',
};

const discrepancyColumns = [
  {
    label: 'Discrepancy',
    render: ({ type, reference, rail }: Discrepancy) => (
      <>
        {types[type] ?? words(type)}
        <span class="soft block">
          {words(rail)}
          {reference !== null && ` · ${reference}`}
        </span>
      </>
    ),
  },
  {
    label: 'State',
    render: ({ status, resolution, note }: Discrepancy) => (
      <>
        <Status is={status} />
        {(resolution !== null || note !== null) && (
          <span class="soft block">{[resolution && words(resolution), note].filter(Boolean).join(': ')}</span>
        )}
      </>
    ),
  },
  {
    label: 'In the ledger',
    isFigure: true,
    render: ({ expectedAmount, currency }: Discrepancy) => (expectedAmount === null ? '–' : money(expectedAmount, currency)),
  },
  {
    label: 'In the statement',
    isFigure: true,
    render: ({ actualAmount, currency }: Discrepancy) => (actualAmount === null ? '–' : money(actualAmount, currency)),
  },
  { label: 'Found', render: ({ detectedAt }: Discrepancy) => moment(detectedAt) },
  { label: 'Resolved', render: ({ resolvedAt }: Discrepancy) => when(resolvedAt) ?? '–' },
];

function Resolve({ discrepancy: { id, type }, onClose }: { discrepancy: Discrepancy; onClose: () => void }) {
  return (
    <Dialog
      title={`Resolve: ${types[type] ?? words(type)}?`}
      action="Resolve"
      fields={[{ name: 'resolution', label: 'Resolution', values: ['chasing', 'no_action', 'written_off'] }]}
      remark="Note (optional)"
      onConfirm={async ({ values, remark, idempotencyKey }) => {
        const input = { resolution: values['resolution'], note: remark ?? null };
        await ask('ResolveDiscrepancy', { id, input } as Variables['ResolveDiscrepancy'], { idempotencyKey });
        say('The discrepancy is settled.');
      }}
      onClose={onClose}
    >
      <p>Chasing keeps it open while somebody asks the rail. The others close it. No money is moved.</p>
    </Dialog>
  );
}

function Run({ onClose }: { onClose: () => void }) {
  const today = new Date(workspaceClock.now()).toISOString().slice(0, 10);
  return (
    <Dialog
      title="Reconcile a rail?"
      action="Start"
      fields={[
        { name: 'rail', label: 'Rail', initial: 'ach', maxLength: 40 },
        { name: 'dateFrom', label: 'From', type: 'date', initial: today },
        { name: 'dateTo', label: 'Until', type: 'date', initial: today },
      ]}
      onConfirm={async ({ values, idempotencyKey }) => {
        await ask('StartReconciliation', { input: values } as Variables['StartReconciliation'], { idempotencyKey });
        say('The report is being made.');
      }}
      onClose={onClose}
    >
      <p>The ledger is compared with the statement of these days.</p>
    </Dialog>
  );
}

/** The page. */
export function Reconciliation() {
  const [isRun, setRun] = useState(false);
  const isAllowed = useMay()('settlement:write');
  const [asked, setAsked] = useState<Discrepancy>();
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (discrepancy: Discrepancy) =>
      isAllowed &&
      (discrepancy.status === 'open' || discrepancy.status === 'chasing') && (
        <button type="button" onClick={() => setAsked(discrepancy)}>
          Resolve<span class="hidden"> {discrepancy.reference ?? words(discrepancy.type)}</span>
        </button>
      ),
  };
  return (
    <>
      <ListPanel
        title="Discrepancies"
        what="discrepancies"
        query="Discrepancies"
        pageOf={({ discrepancies }) => discrepancies}
        filters={filters}
        columns={[...discrepancyColumns, action]}
        empty={{ title: 'There are no discrepancies.', children: 'What a report finds that does not agree appears here.' }}
      />
      <ListPanel
        title="Reports"
        what="reports"
        query="Reports"
        variables={{}}
        pageOf={({ reconciliationReports }) => reconciliationReports}
        columns={reportColumns}
        tools={
          isAllowed && (
            <button type="button" onClick={() => setRun(true)}>
              Reconcile now
            </button>
          )
        }
        empty={{
          title: 'There are no reports yet.',
          children: (
            <>
              Load a statement by <a href="/docs#/reconciliation/uploadRailEntries">POST /v1/reconciliation/rail-entries</a>, then
              reconcile.
            </>
          ),
        }}
      />
      {isRun && <Run onClose={() => setRun(false)} />}
      {asked !== undefined && <Resolve discrepancy={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
