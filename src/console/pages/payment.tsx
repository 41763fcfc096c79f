// One payment: its story in order, what it moved, whom it concerns, and what may be done with it now.
import { Detail } from '../detail.js';
import { Facts, Id, when } from '../fact.js';
import { amount, money, words } from '../format.js';
import { type NameOf, useNames } from '../names.js';
import { Empty, Panel, States } from '../panel.js';
import { kindOf, type PaymentAnswer, payeeOf, payerOf } from '../payment.js';
import { protocolName } from '../protocol.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';
import { Actions } from './payment-action.js';
import { Story } from './payment-story.js';

function Parties({ answer: { transfer }, nameOf }: { answer: PaymentAnswer; nameOf: NameOf }) {
  const { fromAccountId, toAccountId, fromWalletId, toWalletId, agentId, mandateId, traceId, subject, approvalId } = transfer;
  const link = (page: string, id: string | null, text = nameOf(id)) => id !== null && <PageLink page={`${page}/${id}`}>{text}</PageLink>;
  return (
    <Facts
      facts={[
        ['From', fromAccountId === null ? payerOf(transfer, nameOf) : link('accounts', fromAccountId, payerOf(transfer, nameOf))],
        ['From wallet', fromWalletId === null ? null : link('wallets', fromWalletId)],
        ['To', toAccountId === null ? payeeOf(transfer, nameOf) : link('accounts', toAccountId, payeeOf(transfer, nameOf))],
        ['To wallet', toWalletId === null ? null : link('wallets', toWalletId)],
        ['Agent', agentId === null ? null : link('agents', agentId, transfer.agent?.name)],
        ['Mandate', mandateId === null ? null : link('mandates', mandateId, 'The mandate it was paid by')],
        ['Task', subject?.type === 'task' ? link('tasks', subject.id, 'The task it pays for') : null],
        ['Approval', approvalId === null ? null : <PageLink page={`approvals/${approvalId}`}>The approval it waited for</PageLink>],
        ['Trace', traceId === null ? null : <PageLink page={`traces/${traceId}`}>Everything with this trace</PageLink>],
        ['Subject', subject === null ? null : <Id value={subject.id} />],
        ['Id', <Id key="id" value={transfer.id} />],
      ]}
    />
  );
}

function Figures({ transfer }: { transfer: PaymentAnswer['transfer'] }) {
  const { amount: asked, currency, fee, hold, destinationAmount, destinationCurrency, refundedAmount, protocol, reference } = transfer;
  return (
    <Facts
      facts={[
        ['Amount', money(asked, currency)],
        ['Payee gets', destinationAmount === null || destinationCurrency === null ? null : money(destinationAmount, destinationCurrency)],
        ['Fee', Number(fee.amount) === 0 ? null : money(fee.amount, currency)],
        ['Captured', hold === null ? null : money(hold.capturedAmount, currency)],
        ['Refunded', Number(refundedAmount) === 0 ? null : money(refundedAmount, currency)],
        ['Kind', kindOf(transfer)],
        ['Protocol', protocolName(protocol)],
        ['Reference', reference],
        ['Created', when(transfer.createdAt)],
        ['Completed', when(transfer.completedAt)],
      ]}
    />
  );
}

function Entries({ answer: { transferEntries }, nameOf }: { answer: PaymentAnswer; nameOf: NameOf }) {
  if (transferEntries.length === 0) return <Empty title="Nothing has moved.">Entries appear when money is held or paid.</Empty>;
  return (
    <Table
      caption="Ledger entries"
      rows={transferEntries}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Account',
          render: ({ walletId, account }) => (
            <>
              {walletId === null ? words(account.replace('.', ' ')) : <PageLink page={`wallets/${walletId}`}>{nameOf(walletId)}</PageLink>}
              {walletId !== null && <span class="soft block">{words(account.replace('wallet.', ''))}</span>}
            </>
          ),
        },
        { label: 'Posted', render: ({ createdAt }) => when(createdAt) },
        { label: 'Currency', render: ({ currency }) => currency },
        { label: 'Debit', isFigure: true, render: (entry) => (entry.direction === 'debit' ? amount(entry.amount) : '') },
        { label: 'Credit', isFigure: true, render: (entry) => (entry.direction === 'credit' ? amount(entry.amount) : '') },
        { label: 'Balance after', isFigure: true, render: ({ balanceAfter }) => amount(balanceAfter) },
      ]}
    />
  );
}

function EventDeliveries({ id }: { id: string }) {
  const asked = useQuery('EventDeliveries', { eventId: id });
  const nodes = asked.data?.deliveries.nodes;
  return (
    <States asked={asked} what="deliveries" isLoaded={nodes !== undefined}>
      <ul class="plain">
        {nodes?.map(({ id: delivery, webhookId, status, attemptCount, lastError, lastResponseCode }) => (
          <li key={delivery}>
            <Status is={status} /> after {attemptCount} {attemptCount === 1 ? 'attempt' : 'attempts'}
            {lastResponseCode !== null && `, answered ${lastResponseCode}`}
            {lastError !== null && `, ${lastError}`}. <PageLink page={`webhooks/${webhookId}`}>The endpoint</PageLink>
          </li>
        ))}
      </ul>
    </States>
  );
}

function Events({ events }: { events: PaymentAnswer['events'] }) {
  if (events.nodes.length === 0) return <Empty title="No event is kept.">Events are kept for 30 days.</Empty>;
  return (
    <Table
      caption="Events and their deliveries"
      rows={events.nodes}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Event', render: ({ type }) => type },
        { label: 'At', render: ({ timestamp }) => when(timestamp) },
        {
          label: 'Deliveries',
          render: ({ deliveries }) =>
            deliveries === null || deliveries.total === 0
              ? 'No endpoint subscribes'
              : `${deliveries.delivered} of ${deliveries.total} delivered${deliveries.dlq > 0 ? `, ${deliveries.dlq} given up` : ''}`,
        },
      ]}
      below={({ id, deliveries }) => (deliveries !== null && deliveries.total > 0 ? <EventDeliveries id={id} /> : null)}
    />
  );
}

/** The page. */
export function Payment({ id }: { id: string }) {
  const nameOf = useNames();
  return (
    <Detail
      what="the payment"
      back={{ page: 'payments', title: 'payments' }}
      query="Payment"
      variables={{ id, objectId: id }}
      nameOf={({ transfer }) => `Payment of ${money(transfer.amount, transfer.currency)}`}
      every={15}
    >
      {(answer) => (
        <>
          <Panel
            title={`${money(answer.transfer.amount, answer.transfer.currency)} from ${payerOf(answer.transfer, nameOf)} to ${payeeOf(answer.transfer, nameOf)}`}
            tools={
              <>
                {answer.transfer.completedAt !== null && <PageLink page={`receipts/${id}`}>Receipt</PageLink>}
                <Status is={answer.transfer.status} />
              </>
            }
          >
            {answer.transfer.description !== null && <p>{answer.transfer.description}</p>}
            <Figures transfer={answer.transfer} />
            <Actions answer={answer} />
          </Panel>
          <div class="halves">
            <Panel title="Timeline">
              <Story answer={answer} nameOf={nameOf} />
            </Panel>
            <Panel title="Related">
              <Parties answer={answer} nameOf={nameOf} />
            </Panel>
          </div>
          <Panel title="Ledger entries">
            <Entries answer={answer} nameOf={nameOf} />
          </Panel>
          <Panel title="Events and webhook deliveries">
            <Events events={answer.events} />
          </Panel>
        </>
      )}
    </Detail>
  );
}
