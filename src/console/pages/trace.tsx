// What one trace did: its operations in order, and what they come to.
import { Detail } from '../detail.js';
import { Facts, Id } from '../fact.js';
import { moment, money, words } from '../format.js';
import { Badge, Empty, Panel } from '../panel.js';
import { protocolName } from '../protocol.js';
import { Table } from '../table.js';

/** The page. */
export function Trace({ id }: { id: string }) {
  return (
    <Detail
      what="the trace"
      back={{ page: 'payments', title: 'payments' }}
      query="Trace"
      variables={{ traceId: id }}
      nameOf={() => 'Trace'}
    >
      {({ usageTrace: { operations, totals, hasMore } }) => (
        <Panel title="What this trace did">
          <Facts
            facts={[
              ...totals.map(({ currency, amount }) => [`Total in ${currency}`, money(amount, currency)] as const),
              ['Trace', <Id key="id" value={id} />],
            ]}
          />
          {operations.length === 0 ? (
            <Empty title="No operation of this trace is final.">Operations appear here when they have ended.</Empty>
          ) : (
            <Table
              caption="Operations"
              rows={operations}
              keyOf={({ id: operation }) => operation}
              columns={[
                { label: 'Operation', render: ({ description }) => description },
                { label: 'At', render: ({ time }) => moment(time) },
                { label: 'Kind', render: ({ category, protocol }) => `${words(category)} · ${protocolName(protocol)}` },
                {
                  label: 'Result',
                  render: ({ success }) => <Badge tone={success ? 'good' : 'bad'}>{success ? 'Succeeded' : 'Failed'}</Badge>,
                },
                { label: 'Amount', isFigure: true, render: ({ amount, currency }) => money(amount, currency) },
              ]}
            />
          )}
          {hasMore && <p class="hint">There are more operations than are shown.</p>}
        </Panel>
      )}
    </Detail>
  );
}
