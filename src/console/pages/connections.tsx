// The programs that people have connected to agents: who allowed each, what it may spend, and the button that ends it.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import { when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment, money } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { useMemberNames } from '../names.js';
import { say } from '../notice.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Connection = Answers['Connections']['connections']['nodes'][number];

const filters: readonly FilterSpec[] = [{ name: 'status', label: 'State', values: ['active', 'revoked', 'expired'], initial: 'active' }];

const columnsOf = (nameOf: (id: string) => string) => [
  {
    label: 'Program',
    render: ({ client, redirectHost }: Connection) => (
      <>
        {client.name}
        <span class="soft block address">{redirectHost}</span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Connection) => <Status is={status} /> },
  {
    label: 'Agent',
    render: ({ agentId, agent }: Connection) => <PageLink page={`agents/${agentId}`}>{agent?.name ?? agentId}</PageLink>,
  },
  { label: 'Allowed by', render: ({ member }: Connection) => <PageLink page={`members/${member.id}`}>{nameOf(member.id)}</PageLink> },
  {
    label: 'Spends at most',
    isFigure: true,
    render: ({ budget }: Connection) =>
      budget === null ? (
        'Only reads'
      ) : (
        <>
          {money(budget.amount, budget.currency)} {budget.period === 'once' ? 'in all' : `per ${budget.period}`}
          <span class="soft block">{money(budget.spent, budget.currency)} spent</span>
        </>
      ),
  },
  {
    label: 'Last used',
    render: ({ lastUsedAt, lastIp }: Connection) => (
      <>
        {when(lastUsedAt) ?? 'Never'}
        {lastIp !== null && <span class="soft block">from {lastIp}</span>}
      </>
    ),
  },
  { label: 'Ends', render: ({ expiresAt }: Connection) => moment(expiresAt) },
];

/** The page. */
export function Connections() {
  const isAllowed = useMay()('connections:write');
  const [asked, setAsked] = useState<Connection>();
  const columns = columnsOf(useMemberNames());
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (connection: Connection) =>
      connection.status === 'active' && (
        <button type="button" class="danger" onClick={() => setAsked(connection)}>
          Revoke<span class="hidden"> {connection.client.name}</span>
        </button>
      ),
  };
  return (
    <>
      <ListPanel
        title="Connected programs"
        what="connections"
        query="Connections"
        pageOf={({ connections }) => connections}
        filters={filters}
        columns={isAllowed ? [...columns, action] : columns}
        empty={{
          title: 'No program is connected yet.',
          children: (
            <>
              Give the address <code>{location.origin}/mcp</code> to a model or an editor. It asks here what it may do.
            </>
          ),
        }}
      />
      {asked !== undefined && (
        <Dialog
          title={`Revoke ${asked.client.name}?`}
          action="Revoke the connection"
          isDangerous
          onConfirm={async ({ idempotencyKey }) => {
            await ask('RevokeConnection', { id: asked.id }, { idempotencyKey });
            say(`${asked.client.name} is no longer connected.`);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>The program is refused at once, and pays nothing more. To go on it has to be connected again.</p>
        </Dialog>
      )}
    </>
  );
}
