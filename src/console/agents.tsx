// The agents: how each stands, what it may still spend, and the button that stops it.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import { ask } from './api.js';
import { Dialog } from './dialog.js';
import { Filter } from './filter.js';
import { money, words } from './format.js';
import { Limits } from './limits.js';
import { say } from './notice.js';
import { Badge, Empty, Panel, States } from './panel.js';
import { useList } from './query.js';
import { More, Table } from './table.js';

type Agent = Answers['Agents']['agents']['nodes'][number];
type Status = NonNullable<Variables['Agents']['status']>;

const statuses: readonly Status[] = ['active', 'frozen', 'suspended', 'revoked'];
const tones = { active: 'good', frozen: 'warn', suspended: 'warn', revoked: 'bad' } as const;

function Purses({ agent: { wallets } }: { agent: Agent }) {
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

function FreezeDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const isFrozen = agent.status === 'frozen';
  return (
    <Dialog
      title={isFrozen ? `Unfreeze ${agent.name}?` : `Freeze ${agent.name}?`}
      action={isFrozen ? 'Unfreeze' : 'Freeze'}
      isDangerous={!isFrozen}
      remark="Reason (optional)"
      onConfirm={async ({ remark, idempotencyKey }) => {
        const variables = { id: agent.id, input: remark === undefined ? {} : { reason: remark } };
        await ask(isFrozen ? 'UnfreezeAgent' : 'FreezeAgent', variables, { idempotencyKey });
        say(isFrozen ? `${agent.name} may spend again.` : `${agent.name} is frozen: it spends nothing until it is unfrozen.`);
      }}
      onClose={onClose}
    >
      <p>
        {isFrozen
          ? 'It may spend again within its limits.'
          : 'It spends nothing until it is unfrozen. Its streams pause, and what was completed stays as it is.'}
      </p>
    </Dialog>
  );
}

const columns = [
  {
    label: 'Agent',
    render: ({ name, parentAccount }: Agent) => (
      <>
        {name}
        <span class="soft block">{parentAccount?.name}</span>
      </>
    ),
  },
  {
    label: 'Status',
    render: ({ status: is, statusReason }: Agent) => (
      <>
        <Badge tone={tones[is]}>{words(is)}</Badge>
        {is !== 'active' && statusReason !== null && <span class="soft block">{statusReason}</span>}
      </>
    ),
  },
  { label: 'Channel', render: ({ connected }: Agent) => (connected ? 'Connected' : <span class="soft">Not connected</span>) },
  { label: 'KYA tier', isFigure: true, render: ({ kyaTier }: Agent) => String(kyaTier) },
  { label: 'Available', isFigure: true, render: (agent: Agent) => <Purses agent={agent} /> },
];

/** The page. */
export function Agents() {
  const [status, setStatus] = useState<Status | ''>('');
  const [opened, setOpened] = useState<string>();
  const [asked, setAsked] = useState<Agent>();
  const list = useList('Agents', status === '' ? {} : { status }, ({ agents }) => agents, { every: 30 });
  const closed = () => {
    setAsked(undefined);
    // Somebody else may have frozen it in between.
    list.refresh();
  };
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (agent: Agent) => (
      <span class="buttons">
        <button type="button" aria-expanded={opened === agent.id} onClick={() => setOpened(opened === agent.id ? undefined : agent.id)}>
          Limits<span class="hidden"> of {agent.name}</span>
        </button>
        {(agent.status === 'active' || agent.status === 'frozen') && (
          <button type="button" class={agent.status === 'active' ? 'danger' : undefined} onClick={() => setAsked(agent)}>
            {agent.status === 'active' ? 'Freeze' : 'Unfreeze'}
            <span class="hidden"> {agent.name}</span>
          </button>
        )}
      </span>
    ),
  };
  return (
    <Panel title="Who acts, and how does it stand?" tools={<Filter label="Status" values={statuses} value={status} choose={setStatus} />}>
      <States asked={list} what="agents" isLoaded={list.nodes !== undefined}>
        {list.nodes?.length === 0 ? (
          <Empty title={status === '' ? 'There are no agents yet.' : `No agent is ${status}.`}>
            Agents are created by <a href="/docs#/agents/createAgent">POST /v1/agents</a>.
          </Empty>
        ) : (
          <>
            <Table
              caption="Agents"
              columns={[...columns, action]}
              rows={list.nodes ?? []}
              keyOf={({ id }) => id}
              below={(agent) => (agent.id === opened ? <Limits id={agent.id} name={agent.name} /> : null)}
              isBusy={list.isLoading}
            />
            <More shown={list.nodes?.length ?? 0} {...list} />
          </>
        )}
      </States>
      {asked !== undefined && <FreezeDialog agent={asked} onClose={closed} />}
    </Panel>
  );
}
