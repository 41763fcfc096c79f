// The agents: how each stands, what it has, and the button that stops it.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import type { FilterSpec } from '../filter.js';
import { money } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Agent = Answers['Agents']['agents']['nodes'][number];

const filters: readonly FilterSpec[] = [{ name: 'status', label: 'State', values: ['active', 'frozen', 'suspended', 'revoked'] }];

function Balances({ agent: { wallets } }: { agent: Agent }) {
  if (wallets.nodes.length === 0) return <span class="soft">No wallet</span>;
  const others = wallets.pagination.total - wallets.nodes.length;
  return (
    <ul class="plain">
      {wallets.nodes.map(({ id, currency, balance }) => (
        <li key={id}>{money(balance.available, currency)}</li>
      ))}
      {others > 0 && <li class="soft">and {others} more</li>}
    </ul>
  );
}

/** The button that freezes an agent, or lets it spend again; nothing for one that is neither active nor frozen. */
export function FreezeAgent({ agent: { id, name, status } }: { agent: Pick<Agent, 'id' | 'name' | 'status'> }) {
  const [isAsked, setAsked] = useState(false);
  const may = useMay();
  const isFrozen = status === 'frozen';
  if (!isAsked && ((status !== 'active' && !isFrozen) || !may(isFrozen ? 'policies:write' : 'freeze:write'))) return null;
  const action = isFrozen ? 'Unfreeze' : 'Freeze';
  return (
    <>
      <button type="button" class={isFrozen ? undefined : 'danger'} onClick={() => setAsked(true)}>
        {action}
        <span class="hidden"> {name}</span>
      </button>
      {isAsked && (
        <Dialog
          title={`${action} ${name}?`}
          action={action}
          isDangerous={!isFrozen}
          remark="Reason (optional)"
          onConfirm={async ({ remark, idempotencyKey }) => {
            const variables = { id, input: remark === undefined ? {} : { reason: remark } };
            await ask(isFrozen ? 'UnfreezeAgent' : 'FreezeAgent', variables, { idempotencyKey });
            say(isFrozen ? `${name} may spend again.` : `${name} is frozen. It spends nothing until it is unfrozen.`);
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            {isFrozen
              ? 'It may spend again within its limits.'
              : 'It spends nothing until it is unfrozen. Its streams pause. Completed payments stay as they are.'}
          </p>
        </Dialog>
      )}
    </>
  );
}

const columns = [
  {
    label: 'Agent',
    render: ({ id, name, parentAccount }: Agent) => (
      <>
        <PageLink page={`agents/${id}`}>{name}</PageLink>
        <span class="soft block">{parentAccount?.name}</span>
      </>
    ),
  },
  {
    label: 'State',
    render: ({ status, statusReason }: Agent) => (
      <>
        <Status is={status} />
        {status !== 'active' && statusReason !== null && <span class="soft block">{statusReason}</span>}
      </>
    ),
  },
  { label: 'Channel', render: ({ connected }: Agent) => (connected ? 'Connected' : <span class="soft">Not connected</span>) },
  { label: 'KYA tier', isFigure: true, render: ({ kyaTier }: Agent) => String(kyaTier) },
  { label: 'Available', isFigure: true, render: (agent: Agent) => <Balances agent={agent} /> },
  {
    label: 'Actions',
    isSilent: true,
    render: (agent: Agent) => (
      <span class="buttons">
        <FreezeAgent agent={agent} />
      </span>
    ),
  },
];

/** The page. */
export function Agents() {
  return (
    <ListPanel
      title="All agents"
      what="agents"
      query="Agents"
      pageOf={({ agents }) => agents}
      filters={filters}
      columns={columns}
      empty={{
        title: 'There are no agents yet.',
        children: (
          <>
            Agents are created by <a href="/docs#/agents/createAgent">POST /v1/agents</a>.
          </>
        ),
      }}
    />
  );
}
