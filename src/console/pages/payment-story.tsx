// The story of a payment: asked, decided with figures, held, approved, posted with both legs, paid out, refunded, disputed. Each step has
// its time, and stands where that puts it.
import type { ComponentChildren } from 'preact';
import { Decision } from '../decision.js';
import { moment, money, words } from '../format.js';
import type { NameOf } from '../names.js';
import { States } from '../panel.js';
import type { PaymentAnswer } from '../payment.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';

interface Step {
  at: string;
  title: string;
  more?: ComponentChildren;
}

type Entry = PaymentAnswer['transferEntries'][number];

/** The entries of each ledger transaction, with both legs. */
function postings(entries: readonly Entry[], nameOf: NameOf): Step[] {
  const ids = [...new Set(entries.map(({ transactionId }) => transactionId))];
  return ids.map((id) => {
    const legs = entries.filter(({ transactionId }) => transactionId === id);
    const isHold = legs.some(({ account, direction }) => account === 'wallet.held' && direction === 'credit');
    const isRelease = legs.some(({ account, direction }) => account === 'wallet.held' && direction === 'debit');
    return {
      at: legs[0]?.createdAt ?? '',
      title: isHold ? 'Held' : isRelease ? 'Posted from the hold' : 'Posted',
      more: (
        <ul class="plain">
          {legs.map(({ id: leg, direction, amount, currency, walletId, account }) => (
            <li key={leg}>
              {words(direction)} {money(amount, currency)} · {walletId === null ? words(account.replaceAll('.', ' ')) : nameOf(walletId)}{' '}
              <span class="soft">{walletId === null ? '' : words(account.replace('wallet.', ''))}</span>
            </li>
          ))}
        </ul>
      ),
    };
  });
}

function DecisionStep({ id }: { id: string }) {
  const asked = useQuery('Decision', { id });
  return (
    <States asked={asked} what="the decision" isLoaded={asked.data !== undefined}>
      {asked.data !== undefined && <Decision decision={asked.data.decision} />}
    </States>
  );
}

function PayoutStep({ id }: { id: string }) {
  const asked = useQuery('Payout', { id });
  const payout = asked.data?.payout;
  const steps = payout && [
    ['Sent by', payout.createdAt],
    ['Confirmed by', payout.confirmedAt],
    ['Paid out by', payout.completedAt],
  ];
  return (
    <States asked={asked} what="the payout" isLoaded={payout !== undefined}>
      <ul class="plain">
        {steps?.map(([text, at]) => at != null && <li key={text}>{`${text} ${payout?.rail}: ${moment(at)}`}</li>)}
        {payout?.return != null && <li>Returned: {payout.return.reason}</li>}
        {payout?.errorCode != null && <li>Failed: {words(payout.errorCode)}</li>}
      </ul>
    </States>
  );
}

/** What an approval says of who decided. */
function ApprovalStep({ id }: { id: string }) {
  const asked = useQuery('Approval', { id });
  const approval = asked.data?.approval;
  return (
    <States asked={asked} what="the approval" isLoaded={approval !== undefined}>
      {approval !== undefined && (
        <p>
          {words(approval.status)}
          {approval.decidedAt !== null && ` ${moment(approval.decidedAt)}`}
          {approval.decidedBy !== null &&
            ` by ${approval.decidedBy.type === 'user' ? 'a person' : words(approval.decidedBy.type).toLowerCase()} (${approval.decidedBy.id})`}
          {approval.comment !== null && `: ${approval.comment}`}. <PageLink page={`approvals/${id}`}>The approval</PageLink>
        </p>
      )}
    </States>
  );
}

function stepsOf({ transfer, transferEntries, refunds, disputes }: PaymentAnswer, nameOf: NameOf): Step[] {
  const {
    createdAt,
    decisionId,
    approvalId,
    initiatedBy,
    agentId,
    failure,
    subject,
    scheduledFor,
    hold,
    completedAt,
    updatedAt,
    currency,
  } = transfer;
  const who =
    agentId !== null ? (transfer.agent?.name ?? nameOf(agentId)) : words(initiatedBy.type === 'user' ? 'a person' : initiatedBy.type);
  const steps: (Step | false)[] = [
    { at: createdAt, title: `Requested by ${who}`, more: scheduledFor !== null && <p>To be carried out {moment(scheduledFor)}.</p> },
    decisionId !== null && { at: createdAt, title: 'Decided', more: <DecisionStep id={decisionId} /> },
    approvalId !== null && { at: createdAt, title: 'Sent for approval', more: <ApprovalStep id={approvalId} /> },
    ...postings(transferEntries, nameOf),
    hold !== null &&
      hold.expiresAt !== null &&
      transfer.status === 'pending' && {
        at: updatedAt,
        title: 'Waiting for capture',
        more: <p>The hold is released {moment(hold.expiresAt)} unless it is captured before.</p>,
      },
    completedAt !== null && { at: completedAt, title: 'Completed' },
    (transfer.status === 'failed' || transfer.status === 'cancelled') && {
      at: updatedAt,
      title: words(transfer.status),
      more: failure !== null && <p>{failure.message}</p>,
    },
    subject?.type === 'payout' && { at: completedAt ?? updatedAt, title: 'Payout', more: <PayoutStep id={subject.id} /> },
    ...refunds.nodes.map((refund) => ({
      at: refund.createdAt,
      title: `Refund of ${money(refund.amount, currency)}: ${words(refund.status).toLowerCase()}`,
      more: (
        <p>
          {words(refund.reason)}
          {refund.refundTransferId !== null && (
            <>
              . <PageLink page={`payments/${refund.refundTransferId}`}>The refund payment</PageLink>
            </>
          )}
        </p>
      ),
    })),
    ...disputes.nodes.map((dispute) => ({
      at: dispute.createdAt,
      title: `Dispute of ${money(dispute.amountDisputed, dispute.currency)}: ${words(dispute.status).toLowerCase()}`,
      more: (
        <p>
          {words(dispute.reason)}: {dispute.description}{' '}
          <span class="soft">
            {dispute.resolution === null ? `Answer due by ${moment(dispute.respondBy)}` : `Resolution: ${words(dispute.resolution)}`}
          </span>
        </p>
      ),
    })),
  ];
  // Steps of one time keep the order in which they are written.
  return steps.filter((step) => step !== false).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The steps, the first one first. */
export function Story({ answer, nameOf }: { answer: PaymentAnswer; nameOf: NameOf }) {
  return (
    <ol class="story">
      {stepsOf(answer, nameOf).map(({ at, title, more }, place) => (
        <li key={`${place} ${title}`}>
          <p>
            <strong>{title}</strong> <time dateTime={at}>{moment(at)}</time>
          </p>
          {more}
        </li>
      ))}
    </ol>
  );
}
