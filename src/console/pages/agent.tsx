// One agent: how it stands, what it may still spend, what it spent by day, what was refused and why, and what it signs in with.
import type { Answers } from '../answers.js';
import { Bars } from '../bars.js';
import { workspaceClock } from '../clock.js';
import { Decision } from '../decision.js';
import { Detail } from '../detail.js';
import { Facts, Id, when } from '../fact.js';
import { count, moment, money, sum, words } from '../format.js';
import { ListPanel } from '../list.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';
import { FreezeAgent } from './agents.js';
import { Limits } from './limits.js';
import { Limits as ScopeLimits } from './mandates.js';
import { NewestPayments } from './payments.js';

type AgentAnswer = Answers['Agent'];
type Refused = Answers['AgentDecisions']['decisions']['nodes'][number];

const bareId = (id: string) => id.replace(/^agt_/, '');
const shownDays = 14;
const dayMs = 86_400_000;

function SpendByDay({ id }: { id: string }) {
  const first = Math.floor(workspaceClock.now() / dayMs) - shownDays + 1;
  const asked = useQuery('AgentDays', { agentId: bareId(id), since: new Date(first * dayMs).toISOString() });
  const found = asked.data?.transferDays ?? [];
  const currencies = [...new Set(found.map(({ currency }) => currency))].sort();
  const days = Array.from({ length: shownDays }, (_, n) => new Date((first + n) * dayMs).toISOString().slice(0, 10));
  return (
    <States asked={asked} what="the spend by day" isLoaded={asked.data !== undefined}>
      {found.length === 0 ? (
        <Empty title={`It spent nothing in ${shownDays} days.`}>Its completed payments are added up here by day.</Empty>
      ) : (
        currencies.map((currency) => {
          const own = new Map(found.filter((row) => row.currency === currency).map((row) => [row.day, row]));
          const most = Math.max(...[...own.values()].map(({ amount }) => Number(amount)));
          return (
            <Bars
              key={currency}
              readout={[money(sum([...own.values()].map(({ amount }) => amount)), currency), `in ${shownDays} days`]}
              title={`Spend in ${currency} by day`}
              headings={['Day (UTC)', 'Payments', 'Amount']}
              rows={days.map((day) => {
                const row = own.get(day);
                return {
                  key: day,
                  label: day,
                  height: row === undefined || most === 0 ? 0 : Number(row.amount) / most,
                  cells: [count(row?.count ?? 0), money(row?.amount ?? '0', currency)],
                };
              })}
            />
          );
        })
      )}
    </States>
  );
}

const refusedColumns = [
  {
    label: 'Reason',
    render: (decision: Refused) => (
      <>
        {decision.message ?? (decision.code === null ? words(decision.outcome) : words(decision.code))}
        <span class="soft block">{decision.code === null ? '' : words(decision.code)}</span>
      </>
    ),
  },
  { label: 'At', render: ({ evaluatedAt }: Refused) => moment(evaluatedAt) },
  { label: 'Amount', isFigure: true, render: ({ input }: Refused) => (input === null ? '–' : money(input.amount, input.currency)) },
];

function SignIns({ answer: { agentKeys, agentTokens, agentSessions } }: { answer: AgentAnswer }) {
  const rows = [
    ...agentKeys.map((key) => ({ ...key, kind: `Key, ${key.algorithm}`, ends: key.revokedAt })),
    ...agentTokens.map((token) => ({ ...token, kind: 'Token', ends: token.expiresAt })),
    ...agentSessions.map((session) => ({ ...session, kind: `Session from ${session.ip}`, ends: session.expiresAt, status: null })),
  ];
  if (rows.length === 0) return <Empty title="It cannot sign in.">It has no key, no token and no session.</Empty>;
  return (
    <Table
      caption="Keys, tokens and sessions"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'What',
          render: ({ kind, id }) => (
            <>
              {kind}
              <span class="block">
                <Id value={id} />
              </span>
            </>
          ),
        },
        { label: 'State', render: ({ status }) => <Status is={status ?? 'active'} /> },
        { label: 'Created', render: ({ createdAt }) => moment(createdAt) },
        { label: 'Last used', render: ({ lastUsedAt }) => when(lastUsedAt) ?? 'Never' },
        { label: 'Ends', render: ({ ends }) => when(ends) ?? '–' },
      ]}
    />
  );
}

function AgentMandates({ nodes }: { nodes: AgentAnswer['mandates']['nodes'] }) {
  if (nodes.length === 0) return <Empty title="It has no mandate.">A mandate lets it spend the money of an account.</Empty>;
  return (
    <Table
      caption="Mandates"
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Mandate', render: ({ id, expiresAt }) => <PageLink page={`mandates/${id}`}>Until {moment(expiresAt)}</PageLink> },
        { label: 'State', render: ({ status }) => <Status is={status} /> },
        { label: 'At most', isFigure: true, render: ({ scope }) => <ScopeLimits scope={scope} /> },
        { label: 'Used this month', isFigure: true, render: ({ usage, scope }) => money(usage.month, scope.currency) },
      ]}
    />
  );
}

function Head({ agent }: { agent: AgentAnswer['agent'] }) {
  return (
    <Panel title={agent.name} tools={<Status is={agent.status} />}>
      {agent.status !== 'active' && agent.statusReason !== null && <p>Reason: {agent.statusReason}</p>}
      {agent.description !== null && <p>{agent.description}</p>}
      <Facts
        facts={[
          [
            'Account',
            agent.parentAccount === null ? null : (
              <PageLink page={`accounts/${agent.parentAccount.id}`}>{agent.parentAccount.name}</PageLink>
            ),
          ],
          ['KYA tier', String(agent.kyaTier)],
          [
            'Channel',
            <Badge key="channel" tone={agent.connected ? 'good' : 'plain'}>
              {agent.connected ? 'Connected' : 'Not connected'}
            </Badge>,
          ],
          ...agent.wallets.nodes.map(
            ({ id: wallet, currency, balance }) =>
              [
                `Available in ${currency}`,
                <PageLink key={wallet} page={`wallets/${wallet}`}>
                  {money(balance.available, currency)}
                </PageLink>,
              ] as const,
          ),
          ['Created', when(agent.createdAt)],
          ['Id', <Id key="id" value={agent.id} />],
        ]}
      />
      <div class="buttons">
        <FreezeAgent agent={agent} />
      </div>
    </Panel>
  );
}

/** The page. */
export function Agent({ id }: { id: string }) {
  return (
    <Detail
      what="the agent"
      back={{ page: 'agents', title: 'agents' }}
      query="Agent"
      variables={{ id, uuid: bareId(id) }}
      nameOf={({ agent }) => agent.name}
    >
      {(answer) => (
        <>
          <Head agent={answer.agent} />
          <div class="halves">
            <Panel title="Limits" tools={<PageLink page="budgets">All budgets</PageLink>}>
              <Limits id={answer.agent.id} name={answer.agent.name} />
            </Panel>
            <Panel title="Spend by day">
              <SpendByDay id={answer.agent.id} />
            </Panel>
          </div>
          <ListPanel
            title="Refused payments"
            what="refusals"
            query="AgentDecisions"
            variables={{ agentId: bareId(id), outcome: 'deny' }}
            pageOf={({ decisions }) => ({
              ...decisions,
              nodes: decisions.nodes.map((node) => ({ ...node, id: node.id ?? node.evaluatedAt })),
            })}
            columns={refusedColumns as never}
            below={(decision) => <Decision decision={decision} />}
            empty={{ title: 'Nothing was refused.', children: 'Payments that a rule, a budget or the balance did not allow appear here.' }}
          />
          <NewestPayments title="Newest payments" of={{ agentId: bareId(id) }} />
          <Panel
            title="Mandates"
            tools={
              <PageLink page="mandates" query={{ agentId: bareId(id) }}>
                All mandates
              </PageLink>
            }
          >
            <AgentMandates nodes={answer.mandates.nodes} />
          </Panel>
          <Panel title="Keys, tokens and sessions">
            <SignIns answer={answer} />
          </Panel>
        </>
      )}
    </Detail>
  );
}
