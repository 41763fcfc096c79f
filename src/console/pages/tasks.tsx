// The tasks that agents give each other; and one task with its money and what was said.
import type { Answers } from '../answers.js';
import { Detail } from '../detail.js';
import { Facts, Id, Json, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment, money, words } from '../format.js';
import { ListPanel } from '../list.js';
import { Empty, Panel } from '../panel.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Row = Answers['Tasks']['tasks']['nodes'][number];

const states = [
  'pending',
  'accepted',
  'declined',
  'in_progress',
  'input_required',
  'completed',
  'failed',
  'disputed',
  'cancelled',
  'expired',
];
const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: states },
  { name: 'agentId', label: 'Agent', placeholder: 'Agent id' },
];

const agentLink = (agent: Row['fromAgent'], none: string) =>
  agent === null ? <span class="soft">{none}</span> : <PageLink page={`agents/${agent.id}`}>{agent.name}</PageLink>;

const columns = [
  { label: 'Task', render: ({ id, skillId }: Row) => <PageLink page={`tasks/${id}`}>{skillId}</PageLink> },
  { label: 'State', render: ({ status }: Row) => <Status is={status} /> },
  { label: 'Sender', render: ({ fromAgent }: Row) => agentLink(fromAgent, 'Another workspace') },
  { label: 'Worker', render: ({ toAgent }: Row) => agentLink(toAgent, 'Nobody yet') },
  { label: 'Created', render: ({ createdAt }: Row) => moment(createdAt) },
  { label: 'Deadline', render: ({ deadline }: Row) => when(deadline) ?? '–' },
  {
    label: 'Payment',
    isFigure: true,
    render: ({ payment }: Row) =>
      payment === null ? (
        <span class="soft">None</span>
      ) : (
        <>
          {money(payment.amount, payment.currency)}
          <span class="soft block">{words(payment.status)}</span>
        </>
      ),
  },
];

/** The page. */
export function Tasks() {
  return (
    <ListPanel
      title="All tasks"
      what="tasks"
      query="Tasks"
      pageOf={({ tasks }) => tasks}
      filters={filters}
      columns={columns}
      empty={{
        title: 'There are no tasks yet.',
        children: (
          <>
            An agent gives work to another by <a href="/docs#/tasks/createTask">POST /v1/a2a/tasks</a>.
          </>
        ),
      }}
    />
  );
}

/** One task. */
export function Task({ id }: { id: string }) {
  return (
    <Detail what="the task" back={{ page: 'tasks', title: 'tasks' }} query="Task" variables={{ id }} nameOf={({ task }) => task.skillId}>
      {({ task }) => (
        <>
          <Panel title={task.skillId} tools={<Status is={task.status} />}>
            {task.statusReason !== null && <p>{words(task.statusReason)}</p>}
            <Facts
              facts={[
                ['Sender', agentLink(task.fromAgent, 'Another workspace')],
                ['Worker', agentLink(task.toAgent, 'Nobody yet')],
                [
                  'Payment',
                  task.payment === null ? (
                    'None'
                  ) : (
                    <PageLink page={`payments/${task.payment.transferId}`}>{money(task.payment.amount, task.payment.currency)}</PageLink>
                  ),
                ],
                ['State of the payment', task.payment === null ? null : words(task.payment.status)],
                ['Released', task.payment === null ? null : money(task.payment.released, task.payment.currency)],
                ['Progress', task.progress === null ? null : `${task.progress.percent ?? '–'} % ${task.progress.message ?? ''}`],
                ['Created', when(task.createdAt)],
                ['Claimed', when(task.claimedAt)],
                ['Started', when(task.startedAt)],
                ['Completed', when(task.completedAt)],
                ['Deadline', when(task.deadline)],
                ['Review until', when(task.reviewDeadline)],
                ['Rating', task.rating === null ? null : `${task.rating} of 5 ${task.feedback ?? ''}`],
                ['Id', <Id key="id" value={task.id} />],
              ]}
            />
          </Panel>
          <div class="halves">
            <Panel title="Request">
              <Json value={task.payload} />
            </Panel>
            <Panel title="Deliverable">
              {task.deliverable === null ? (
                <Empty title="Nothing yet.">The deliverable appears here when the task is completed.</Empty>
              ) : (
                <Json value={task.deliverable} />
              )}
            </Panel>
          </div>
          <Panel title="Messages">
            {task.messages.length === 0 ? (
              <Empty title="There are no messages.">What sender and worker tell each other appears here.</Empty>
            ) : (
              <ol class="story">
                {task.messages.map(({ id: message, author, parts, createdAt }) => (
                  <li key={message}>
                    <p>
                      <strong>{words(author)}</strong> <time dateTime={createdAt}>{moment(createdAt)}</time>
                    </p>
                    <Json value={parts} />
                  </li>
                ))}
              </ol>
            )}
          </Panel>
        </>
      )}
    </Detail>
  );
}
