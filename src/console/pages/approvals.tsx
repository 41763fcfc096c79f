// The spends that wait for a person to decide, with what whoever decides should know: who is paid, for what, under which rule, by whom and
// until when.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { workspaceClock } from '../clock.js';
import { Decision } from '../decision.js';
import { Detail } from '../detail.js';
import { Dialog } from '../dialog.js';
import { Facts, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { count, duration, moment, money, words } from '../format.js';
import { ListPanel } from '../list.js';
import { useDecides, useMe } from '../me.js';
import { useNames } from '../names.js';
import { say } from '../notice.js';
import { Panel, States } from '../panel.js';
import { payeeOf } from '../payment.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Votes } from './vote-list.js';

type Approval = Answers['Approvals']['approvals']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['pending', 'approved', 'rejected', 'expired', 'cancelled'], initial: 'pending' },
];

const whoAsks = ({ agent, requestedBy }: Approval) => agent?.name ?? requestedBy.name ?? words(requestedBy.type);

function Decide({ approval, isYes, onClose }: { approval: Approval; isYes: boolean; onClose: () => void }) {
  const { id, amount, currency } = approval;
  const what = money(amount, currency);
  const approve = async (remark: string | undefined, idempotencyKey: string) => {
    const input = remark === undefined ? {} : { comment: remark };
    const { approveApproval } = await ask('Approve', { id, input }, { idempotencyKey });
    const failure = approveApproval.approval.resultError;
    const { missing } = approveApproval;
    if (missing !== null) say(`Your vote is counted. ${missing === 1 ? 'One more is' : `${missing} more are`} missing.`);
    else if (failure !== null) say(`Approved, but it could not be carried out: ${failure.error}`);
    else say(`${what} approved, requested by ${whoAsks(approval)}.`);
  };
  const reject = async (remark: string | undefined, idempotencyKey: string) => {
    await ask('Reject', { id, input: remark === undefined ? {} : { reason: remark } }, { idempotencyKey });
    say(`${what} rejected, requested by ${whoAsks(approval)}.`);
  };
  return (
    <Dialog
      title={isYes ? `Approve ${what}?` : `Reject ${what}?`}
      action={isYes ? 'Approve' : 'Reject'}
      isDangerous={!isYes}
      remark={isYes ? 'Comment (optional)' : 'Reason (optional)'}
      onConfirm={async ({ remark, idempotencyKey }) => {
        await (isYes ? approve : reject)(remark, idempotencyKey);
      }}
      onClose={onClose}
    >
      <p>
        Requested by {whoAsks(approval)}
        {approval.description === null ? '.' : `: ${approval.description}`}
      </p>
      <p>{isYes ? yesText(approval) : 'The money that was held for it is released.'}</p>
    </Dialog>
  );
}

/** What a yes does. */
function yesText({ missing }: Approval): string {
  if (missing > 1) return `It is carried out once ${missing - 1} more ${missing === 2 ? 'member approves' : 'members approve'}.`;
  return 'The payment is checked again, and carried out at once.';
}

/** The transfer that holds the money, where the subject is one. */
const transferOf = ({ subject }: Approval) => (subject.type === 'transfer' ? subject.id : undefined);

/** Whom the payment goes to, and the rules that ask for approval, with their figures. */
function Payee({ approval, transferId }: { approval: Approval; transferId: string }) {
  const nameOf = useNames();
  const asked = useQuery('ApprovalPayment', { id: transferId });
  const transfer = asked.data?.transfer;
  return (
    <States asked={asked} what="the payment" isLoaded={transfer !== undefined}>
      {transfer !== undefined && (
        <>
          <Facts
            facts={[
              [
                'Payee',
                transfer.toAccountId === null ? (
                  payeeOf(transfer, nameOf)
                ) : (
                  <PageLink page={`accounts/${transfer.toAccountId}`}>{payeeOf(transfer, nameOf)}</PageLink>
                ),
              ],
              [
                'Payment',
                <PageLink key="payment" page={`payments/${transferId}`}>
                  The payment on hold
                </PageLink>,
              ],
            ]}
          />
          {transfer.toAccountId !== null && !approval.context.firstTimeCounterparty && (
            <PaidBefore from={transfer.fromAccountId} to={transfer.toAccountId} />
          )}
          {transfer.decisionId !== null && <Rules id={transfer.decisionId} />}
        </>
      )}
    </States>
  );
}

const mostBefore = 3;

function PaidBefore({ from, to }: { from: string | null; to: string }) {
  const asked = useQuery('PaidBefore', { from, to });
  const nodes = asked.data?.transfers.nodes;
  return (
    <States asked={asked} what="earlier payments" isLoaded={nodes !== undefined}>
      {nodes !== undefined && nodes.length > 0 && (
        <div>
          <p class="soft">Earlier payments to this payee</p>
          <ul class="plain">
            {nodes.slice(0, mostBefore).map(({ id, amount, currency, createdAt, description }) => (
              <li key={id}>
                <PageLink page={`payments/${id}`}>
                  {money(amount, currency)} on {moment(createdAt)}
                </PageLink>
                {description !== null && `: ${description}`}
              </li>
            ))}
          </ul>
        </div>
      )}
    </States>
  );
}

function Rules({ id }: { id: string }) {
  const asked = useQuery('Decision', { id });
  return (
    <States asked={asked} what="the rules" isLoaded={asked.data !== undefined}>
      {asked.data !== undefined && <Decision decision={asked.data.decision} />}
    </States>
  );
}

function Background({ approval }: { approval: Approval }) {
  const { context, currency, merchant, agent, requestedAt, expiresAt, status, decidedBy, decidedAt, comment, resultError } = approval;
  const left = Math.round((new Date(expiresAt).getTime() - workspaceClock.now()) / 60_000) * 60;
  return (
    <Facts
      facts={[
        ['Requested by', agent === null ? whoAsks(approval) : <PageLink page={`agents/${agent.id}`}>{agent.name}</PageLink>],
        ['Merchant', merchant?.name],
        ['Known payee', context.firstTimeCounterparty ? 'No, this is the first payment' : 'Yes, paid before'],
        ['Spent today', context.spentToday === null ? '–' : money(context.spentToday, currency)],
        ['Left today', context.remainingToday === null ? 'No daily limit' : money(context.remainingToday, currency)],
        ['Similar approvals in 30 days', count(context.similarApproved30d)],
        ['Requested', when(requestedAt)],
        status === 'pending'
          ? ['Expires', left > 0 ? `in ${duration(left)}, ${moment(expiresAt)}` : 'within a minute']
          : ['Ended', moment(decidedAt ?? expiresAt)],
        ['Decided by', decidedBy?.name],
        ['Comment', comment],
        ['Not carried out', resultError?.error],
      ]}
    />
  );
}

function Buttons({ approval }: { approval: Approval }) {
  const [answer, setAnswer] = useState<boolean>();
  const isAllowed = useDecides();
  const own = useMe()?.member?.id;
  const what = `${money(approval.amount, approval.currency)} requested by ${whoAsks(approval)}`;
  if (answer === undefined && (approval.status !== 'pending' || !isAllowed)) return null;
  if (answer === undefined && approval.votes.some(({ member, counts }) => counts && member !== null && member.id === own))
    return <p class="soft">You have voted.</p>;
  return (
    <div class="buttons">
      <button type="button" class="primary" onClick={() => setAnswer(true)}>
        Approve<span class="hidden"> {what}</span>
      </button>
      <button type="button" class="danger" onClick={() => setAnswer(false)}>
        Reject<span class="hidden"> {what}</span>
      </button>
      {answer !== undefined && <Decide approval={approval} isYes={answer} onClose={() => setAnswer(undefined)} />}
    </div>
  );
}

function Content({ approval }: { approval: Approval }) {
  const transferId = transferOf(approval);
  return (
    <>
      <p>
        {words(approval.subject.type)}
        {approval.description !== null && `: ${approval.description}`}
      </p>
      {transferId !== undefined && <Payee approval={approval} transferId={transferId} />}
      <Background approval={approval} />
      <Votes approval={approval} />
      <Buttons approval={approval} />
    </>
  );
}

function Card({ approval }: { approval: Approval }) {
  return (
    <li class="card">
      <header>
        <h3>
          <PageLink page={`approvals/${approval.id}`}>
            <span class="value">{money(approval.amount, approval.currency)}</span> requested by {whoAsks(approval)}
          </PageLink>
        </h3>
        <Status is={approval.status} />
      </header>
      <Content approval={approval} />
    </li>
  );
}

/** The page. */
export function Approvals() {
  return (
    <ListPanel
      title="All approvals"
      what="approvals"
      query="Approvals"
      pageOf={({ approvals }) => approvals}
      filters={filters}
      columns={[]}
      show={({ nodes, isLoading }) => (
        <ul class="grid wide" aria-busy={isLoading}>
          {nodes?.map((approval) => (
            <Card key={approval.id} approval={approval} />
          ))}
        </ul>
      )}
      every={15}
      empty={{
        title: 'There are no approvals yet.',
        children: (
          <>
            A payment waits here when a <a href="/docs#/spending/createPolicy">policy</a> asks for an approval.
          </>
        ),
      }}
    />
  );
}

/** One approval. */
export function ApprovalPage({ id }: { id: string }) {
  return (
    <Detail
      what="the approval"
      back={{ page: 'approvals', title: 'approvals' }}
      query="Approval"
      variables={{ id }}
      nameOf={({ approval }) => `Approval of ${money(approval.amount, approval.currency)}`}
      every={15}
    >
      {({ approval }) => (
        <Panel
          title={`${money(approval.amount, approval.currency)} requested by ${whoAsks(approval)}`}
          tools={<Status is={approval.status} />}
        >
          <Content approval={approval} />
        </Panel>
      )}
    </Detail>
  );
}
