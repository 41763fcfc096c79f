// The accounts: who they are and what they hold; and one account with its wallets, its agents and its newest payments.
import type { Answers } from '../answers.js';
import { Detail } from '../detail.js';
import { Facts, Id, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment, money, words } from '../format.js';
import { ListPanel } from '../list.js';
import { Empty, Panel } from '../panel.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';
import { NewestPayments } from './payments.js';

type Row = Answers['Accounts']['accounts']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['active', 'suspended', 'closed'] },
  { name: 'type', label: 'Type', values: ['person', 'business'] },
];

const columns = [
  {
    label: 'Account',
    render: ({ id, name, email }: Row) => (
      <>
        <PageLink page={`accounts/${id}`}>{name}</PageLink>
        <span class="soft block">{email}</span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Row) => <Status is={status} /> },
  { label: 'Type', render: ({ type }: Row) => words(type) },
  { label: 'Customer', render: ({ customerReference }: Row) => customerReference ?? '–' },
  { label: 'Created', render: ({ createdAt }: Row) => moment(createdAt) },
  {
    label: 'Total',
    isFigure: true,
    render: ({ balances }: Row) =>
      balances.length === 0 ? (
        <span class="soft">No wallet</span>
      ) : (
        <ul class="plain">
          {balances.map(({ currency, total }) => (
            <li key={currency}>{money(total, currency)}</li>
          ))}
        </ul>
      ),
  },
];

/** The page. */
export function Accounts() {
  return (
    <ListPanel
      title="All accounts"
      what="accounts"
      query="Accounts"
      pageOf={({ accounts }) => accounts}
      filters={filters}
      columns={columns}
      empty={{
        title: 'There are no accounts yet.',
        children: (
          <>
            Accounts are opened by <a href="/docs#/accounts/createAccount">POST /v1/accounts</a>.
          </>
        ),
      }}
    />
  );
}

type AccountData = Answers['Account']['account'];

function Wallets({ account }: { account: AccountData }) {
  return (
    <Panel
      title="Wallets"
      tools={
        <PageLink page="mandates" query={{ accountId: account.id }}>
          Mandates of this account
        </PageLink>
      }
    >
      {account.wallets.nodes.length === 0 ? (
        <Empty title="It has no wallet.">
          Open one by <a href="/docs#/accounts/createWallet">POST /v1/wallets</a>.
        </Empty>
      ) : (
        <Table
          caption="Wallets"
          rows={account.wallets.nodes}
          keyOf={({ id: wallet }) => wallet}
          columns={[
            {
              label: 'Wallet',
              render: ({ id: wallet, name, ownerType }) => (
                <PageLink page={`wallets/${wallet}`}>{name ?? `Wallet of the ${ownerType}`}</PageLink>
              ),
            },
            { label: 'State', render: ({ status }) => <Status is={status} /> },
            { label: 'Available', isFigure: true, render: ({ balance, currency }) => money(balance.available, currency) },
            { label: 'Total', isFigure: true, render: ({ balance, currency }) => money(balance.total, currency) },
          ]}
        />
      )}
    </Panel>
  );
}

/** One account. */
export function Account({ id }: { id: string }) {
  return (
    <Detail
      what="the account"
      back={{ page: 'accounts', title: 'accounts' }}
      query="Account"
      variables={{ id }}
      nameOf={({ account }) => account.name}
    >
      {({ account }) => (
        <>
          <Panel title={account.name} tools={<Status is={account.status} />}>
            <Facts
              facts={[
                ['Type', words(account.type)],
                ['E-mail', account.email],
                ['Country', account.country],
                ['KYC tier', String(account.kycTier)],
                ['Customer', account.customerReference],
                ['Created', when(account.createdAt)],
                [
                  'Agents',
                  account.agents.nodes.length === 0
                    ? 'None'
                    : account.agents.nodes.map(({ id: agent, name }) => (
                        <span key={agent} class="block">
                          <PageLink page={`agents/${agent}`}>{name}</PageLink>
                        </span>
                      )),
                ],
                ['Id', <Id key="id" value={account.id} />],
              ]}
            />
          </Panel>
          <Wallets account={account} />
          <NewestPayments title="Newest payments" of={{ accountId: account.id }} />
        </>
      )}
    </Detail>
  );
}
