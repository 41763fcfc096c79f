// The spends that wait for somebody to say yes, with what whoever decides should know.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import { ask } from './api.js';
import { workspaceClock } from './clock.js';
import { Dialog } from './dialog.js';
import { Filter } from './filter.js';
import { count, duration, moment, money, words } from './format.js';
import { say } from './notice.js';
import { Badge, Empty, Panel, States } from './panel.js';
import { useList } from './query.js';
import { More } from './table.js';

type Approval = Answers['Approvals']['approvals']['nodes'][number];
type Status = NonNullable<Variables['Approvals']['status']>;

const statuses: readonly Status[] = ['pending', 'approved', 'rejected', 'expired', 'cancelled'];
const tones = { pending: 'warn', approved: 'good', rejected: 'bad', expired: 'plain', cancelled: 'plain' } as const;

interface Question {
  approval: Approval;
  isYes: boolean;
}

const whoAsks = ({ agent, requestedBy }: Approval) => agent?.name ?? words(requestedBy.type);

function Decide({ question: { approval, isYes }, onClose }: { question: Question; onClose: () => void }) {
  const { id, amount, currency } = approval;
  const what = money(amount, currency);
  const approve = async (remark: string | undefined, idempotencyKey: string) => {
    const input = remark === undefined ? {} : { comment: remark };
    const { approveApproval } = await ask('Approve', { id, input }, { idempotencyKey });
    const failure = approveApproval.approval.resultError;
    say(failure === null ? `${what} of ${whoAsks(approval)} approved.` : `Approved, but it could not be carried out: ${failure.error}`);
  };
  const reject = async (remark: string | undefined, idempotencyKey: string) => {
    await ask('Reject', { id, input: remark === undefined ? {} : { reason: remark } }, { idempotencyKey });
    say(`${what} of ${whoAsks(approval)} rejected.`);
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
        {whoAsks(approval)} asks for it{approval.description === null ? '.' : `: ${approval.description}`}
      </p>
      <p>{isYes ? 'It is checked once more and carried out at once.' : 'What was held for it goes back.'}</p>
    </Dialog>
  );
}

function Facts({
  approval: { context, currency, merchant, requestedAt, expiresAt, status, decidedAt, comment, resultError },
}: {
  approval: Approval;
}) {
  const left = Math.round((new Date(expiresAt).getTime() - workspaceClock.now()) / 60_000) * 60;
  return (
    <dl class="facts">
      {merchant !== null && (
        <div>
          <dt>Merchant</dt>
          <dd>{merchant.name}</dd>
        </div>
      )}
      <div>
        <dt>Spent today</dt>
        <dd>{money(context.spentToday, currency)}</dd>
      </div>
      <div>
        <dt>Left today</dt>
        <dd>{context.remainingToday === null ? 'No daily limit' : money(context.remainingToday, currency)}</dd>
      </div>
      <div>
        <dt>Payee</dt>
        <dd>{context.firstTimeCounterparty ? 'Paid for the first time' : 'Paid before'}</dd>
      </div>
      <div>
        <dt>Similar ones approved in 30 days</dt>
        <dd>{count(context.similarApproved30d)}</dd>
      </div>
      <div>
        <dt>Asked</dt>
        <dd>{moment(requestedAt)}</dd>
      </div>
      <div>
        <dt>{status === 'pending' ? 'Expires' : 'Ended'}</dt>
        <dd>{status === 'pending' ? (left > 0 ? `in ${duration(left)}` : 'within a minute') : moment(decidedAt ?? expiresAt)}</dd>
      </div>
      {comment !== null && (
        <div>
          <dt>Comment</dt>
          <dd>{comment}</dd>
        </div>
      )}
      {resultError !== null && (
        <div>
          <dt>Not carried out</dt>
          <dd>{resultError.error}</dd>
        </div>
      )}
    </dl>
  );
}

function Card({ approval, decide }: { approval: Approval; decide: (isYes: boolean) => void }) {
  const { amount, currency, subject, description, status } = approval;
  const who = whoAsks(approval);
  return (
    <li class="card">
      <header>
        <h3>
          <span class="value">{money(amount, currency)}</span> for {who}
        </h3>
        <Badge tone={tones[status]}>{words(status)}</Badge>
      </header>
      <p>
        {words(subject.type)}
        {description !== null && `: ${description}`}
      </p>
      <Facts approval={approval} />
      {status === 'pending' && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => decide(true)}>
            Approve
            <span class="hidden">
              {' '}
              {money(amount, currency)} for {who}
            </span>
          </button>
          <button type="button" class="danger" onClick={() => decide(false)}>
            Reject
            <span class="hidden">
              {' '}
              {money(amount, currency)} for {who}
            </span>
          </button>
        </div>
      )}
    </li>
  );
}

/** The page. */
export function Approvals() {
  const [status, setStatus] = useState<Status | ''>('pending');
  const [question, setQuestion] = useState<Question>();
  const closed = () => {
    setQuestion(undefined);
    // Somebody else may have decided in between.
    list.refresh();
  };
  const list = useList('Approvals', status === '' ? {} : { status }, ({ approvals }) => approvals, { every: 15 });
  return (
    <Panel title="What waits for a yes?" tools={<Filter label="Status" values={statuses} value={status} choose={setStatus} />}>
      <States asked={list} what="approvals" isLoaded={list.nodes !== undefined}>
        {list.nodes?.length === 0 ? (
          <Empty title={status === 'pending' ? 'Nothing waits for you.' : 'There is nothing of this kind.'}>
            A spend waits here when a <a href="/docs#/spending/createPolicy">policy</a> asks for an approval.
          </Empty>
        ) : (
          <>
            <ul class="grid" aria-busy={list.isLoading}>
              {list.nodes?.map((approval) => (
                <Card key={approval.id} approval={approval} decide={(isYes) => setQuestion({ approval, isYes })} />
              ))}
            </ul>
            <More shown={list.nodes?.length ?? 0} {...list} />
          </>
        )}
      </States>
      {question !== undefined && <Decide question={question} onClose={closed} />}
    </Panel>
  );
}
