// The payments: one list of transfers with what each is of, what they come to, and the same as a file.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from '../answers.js';
import { ask, asRefusal } from '../api.js';
import { saveFile } from '../download.js';
import { type Chosen, type FilterSpec, useFilters } from '../filter.js';
import { count, moment, money } from '../format.js';
import { ListPanel } from '../list.js';
import { useNames } from '../names.js';
import { say } from '../notice.js';
import { States } from '../panel.js';
import { kindOf, type PaymentRow, payeeOf, payerOf } from '../payment.js';
import { protocolName, protocols } from '../protocol.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';

const uuid = '(?:[a-z0-9_]+_)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

const filters: readonly FilterSpec[] = [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'Until', type: 'date' },
  { name: 'status', label: 'State', values: ['pending', 'processing', 'completed', 'failed', 'cancelled'] },
  { name: 'protocol', label: 'Protocol', values: Object.fromEntries(protocols.map((name) => [name, protocolName(name)])) },
  { name: 'currency', label: 'Currency', placeholder: 'USD', pattern: '[A-Za-z0-9]{3,5}' },
  { name: 'minAmount', label: 'At least', type: 'number', placeholder: '0.00' },
  { name: 'maxAmount', label: 'At most', type: 'number', placeholder: '0.00' },
  { name: 'reference', label: 'Reference', placeholder: 'INV-17' },
  { name: 'agentId', label: 'Agent', placeholder: 'Agent id', pattern: uuid },
  { name: 'accountId', label: 'Account', placeholder: 'Account id', pattern: uuid },
  { name: 'walletId', label: 'Wallet', placeholder: 'Wallet id', pattern: uuid },
];

type Choice = Variables['PaymentTotals'];

const dayMs = 86_400_000;

/** The filters as the API takes them. A day is one of this browser's; amounts are compared in one currency, dollars by default. */
function choiceOf({ from, to, currency, ...rest }: Chosen): Choice {
  const start = (day: string) => new Date(`${day}T00:00:00`).getTime();
  const money = currency?.toUpperCase() ?? (rest['minAmount'] === undefined && rest['maxAmount'] === undefined ? undefined : 'USD');
  return {
    ...rest,
    ...(money && { currency: money }),
    ...(from && { since: new Date(start(from)).toISOString() }),
    ...(to && { until: new Date(start(to) + dayMs).toISOString() }),
  } as Choice;
}

/** What the chosen payments come to. */
function Totals({ choice }: { choice: Choice }) {
  // A table that nobody sees has no width to be laid out in.
  const [isOpen, setOpen] = useState(false);
  const totals = useQuery('PaymentTotals', choice, { every: 30 });
  const found = totals.data?.transferTotals;
  return (
    <States asked={totals} what="the totals" isLoaded={found !== undefined}>
      {found !== undefined && found.sums.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Totals of {count(found.count)} {found.count === 1 ? 'payment' : 'payments'}
            {found.complete ? '' : ', the newest of more'}
          </summary>
          {isOpen && (
            <Table
              caption="Totals by currency and state"
              rows={found.sums}
              keyOf={({ currency, status }) => `${currency} ${status}`}
              columns={[
                { label: 'State', render: ({ status }) => <Status is={status} /> },
                { label: 'Currency', render: ({ currency }) => currency },
                { label: 'Payments', isFigure: true, render: (sum) => count(sum.count) },
                { label: 'Amount', isFigure: true, render: ({ amount, currency }) => money(amount, currency) },
                { label: 'Fees', isFigure: true, render: ({ fees, currency }) => money(fees, currency) },
                { label: 'Refunded', isFigure: true, render: ({ refunded, currency }) => money(refunded, currency) },
              ]}
            />
          )}
          <p class="hint">
            Of completed payments the amount is what moved, as reports count it: of a hold what was captured, of stream funding nothing.
            {found.complete ? '' : ' The newest 50,000 are added up. Narrow the time for exact totals.'}
          </p>
        </details>
      )}
    </States>
  );
}

/** Reads the file part by part, and gives it to the browser to keep. */
async function download(choice: Choice, onRows: (rows: number) => void): Promise<number> {
  const parts: string[] = [];
  let rows = 0;
  let after: string | null = null;
  do {
    const { transferCsv }: Answers['PaymentCsv'] = await ask('PaymentCsv', { ...choice, after } as Variables['PaymentCsv']);
    parts.push(transferCsv.csv);
    rows += transferCsv.rows;
    after = transferCsv.nextCursor;
    onRows(rows);
  } while (after !== null);
  saveFile('payments.csv', 'text/csv', parts);
  return rows;
}

function CsvButton({ choice }: { choice: Choice }) {
  const [rows, setRows] = useState<number>();
  const start = async () => {
    if (rows !== undefined) return;
    setRows(0);
    try {
      say(`${count(await download(choice, setRows))} payments saved as payments.csv.`);
    } catch (error) {
      say(`The file was not made. ${asRefusal(error).message}`);
    } finally {
      setRows(undefined);
    }
  };
  return (
    <button type="button" onClick={start} aria-disabled={rows !== undefined}>
      {rows === undefined ? 'Download CSV' : `${count(rows)} payments read …`}
    </button>
  );
}

/** The columns of a list of payments. */
export function usePaymentColumns() {
  const nameOf = useNames();
  return [
    {
      label: 'Payment',
      render: (row: PaymentRow) => (
        <>
          <PageLink page={`payments/${row.id}`}>{row.description ?? kindOf(row)}</PageLink>
          <span class="soft block">{[row.description !== null && kindOf(row), row.reference].filter(Boolean).join(' · ')}</span>
        </>
      ),
    },
    { label: 'State', render: ({ status }: PaymentRow) => <Status is={status} /> },
    { label: 'From', render: (row: PaymentRow) => payerOf(row, nameOf) },
    { label: 'To', render: (row: PaymentRow) => payeeOf(row, nameOf) },
    { label: 'Agent', render: ({ agent, agentId }: PaymentRow) => agent?.name ?? agentId ?? <span class="soft">None</span> },
    { label: 'Protocol', render: ({ protocol }: PaymentRow) => protocolName(protocol) },
    { label: 'Created', render: ({ createdAt }: PaymentRow) => moment(createdAt) },
    {
      label: 'Amount',
      isFigure: true,
      render: ({ amount, currency, refundedAmount }: PaymentRow) => (
        <>
          {money(amount, currency)}
          {Number(refundedAmount) > 0 && <span class="soft block">{money(refundedAmount, currency)} refunded</span>}
        </>
      ),
    },
  ];
}

/** The page. */
export function Payments() {
  const chosen = useFilters(filters);
  const columns = usePaymentColumns();
  const choice = choiceOf(chosen);
  return (
    <ListPanel
      title="All payments"
      what="payments"
      query="Payments"
      variables={choiceOf}
      pageOf={({ transfers }) => transfers}
      filters={filters}
      columns={columns}
      tools={<CsvButton choice={choice} />}
      above={() => <Totals choice={choice} />}
      empty={{
        title: 'There are no payments yet.',
        children: (
          <>
            Payments are made by <a href="/docs#/transfers/createTransfer">POST /v1/transfers</a>, and by agents.
          </>
        ),
      }}
    />
  );
}

/** The newest payments of something, with a link to all of them. */
export function NewestPayments({ title, of }: { title: string; of: Choice }) {
  const columns = usePaymentColumns();
  return (
    <ListPanel
      title={title}
      what="payments"
      query="Payments"
      variables={of}
      pageOf={({ transfers }) => ({
        ...transfers,
        nodes: transfers.nodes.slice(0, 10),
        pagination: { ...transfers.pagination, hasMore: false },
      })}
      columns={columns}
      tools={
        <PageLink page="payments" query={of as Chosen}>
          All payments
        </PageLink>
      }
      empty={{ title: 'There are no payments yet.', children: 'They appear here when they are made.' }}
    />
  );
}
