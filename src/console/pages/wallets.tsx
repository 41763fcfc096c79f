// The wallets and what is in them. Balances are shown as the ledger has them, to the last digit.
import type { Answers } from '../answers.js';
import type { FilterSpec } from '../filter.js';
import { amount, money, sum } from '../format.js';
import { ListPanel } from '../list.js';
import { type NameOf, useNames } from '../names.js';
import { Badge, Tile } from '../panel.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Wallet = Answers['Wallets']['wallets']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['active', 'frozen', 'closed'] },
  { name: 'currency', label: 'Currency', placeholder: 'USD', pattern: '[A-Z0-9]{3,5}' },
];

/** Sums by currency of the wallets that are shown. */
function Totals({ wallets, isAll }: { wallets: readonly Wallet[]; isAll: boolean }) {
  const currencies = [...new Set(wallets.map(({ currency }) => currency))].sort();
  return (
    <dl class="tiles">
      {currencies.map((currency) => {
        const own = wallets.filter((wallet) => wallet.currency === currency);
        const available = amount(sum(own.map(({ balance }) => balance.available)));
        return (
          <Tile
            key={currency}
            label={currency}
            value={money(sum(own.map(({ balance }) => balance.total)), currency)}
            note={`in ${own.length} ${own.length === 1 ? 'wallet' : 'wallets'}${isAll ? '' : ' of those shown'}, ${available} available`}
          />
        );
      })}
    </dl>
  );
}

/** An amount of a row; nothing at all steps back. */
function figure(text: string) {
  return Number(text) === 0 ? <span class="soft">{amount(text)}</span> : amount(text);
}

const columnsOf = (nameOf: NameOf) => [
  {
    label: 'Wallet',
    render: ({ id, name, account, ownerType, ownerId }: Wallet) => (
      <>
        <PageLink page={`wallets/${id}`}>
          {name ?? (ownerType === 'agent' ? `Wallet of ${nameOf(ownerId)}` : 'Wallet of the account')}
        </PageLink>
        <span class="soft block">{account?.name}</span>
      </>
    ),
  },
  {
    label: 'State',
    render: ({ status, frozenReason }: Wallet) => (
      <>
        <Status is={status} />
        {frozenReason !== null && <span class="soft block">{frozenReason}</span>}
      </>
    ),
  },
  { label: 'Currency', render: ({ currency }: Wallet) => currency },
  {
    label: 'Available',
    isFigure: true,
    render: ({ balance, lowBalanceThreshold }: Wallet) => (
      <>
        {amount(balance.available)}
        {lowBalanceThreshold !== null && Number(balance.available) < Number(lowBalanceThreshold) && (
          <span class="block">
            <Badge tone="warn">Low: below {amount(lowBalanceThreshold)}</Badge>
          </span>
        )}
      </>
    ),
  },
  { label: 'Held', isFigure: true, render: ({ balance }: Wallet) => figure(balance.held) },
  { label: 'Wrapped', isFigure: true, render: ({ balance }: Wallet) => figure(balance.wrapped) },
  { label: 'Incoming', isFigure: true, render: ({ balance }: Wallet) => figure(balance.pendingIn) },
  { label: 'Total', isFigure: true, render: ({ balance }: Wallet) => <strong>{amount(balance.total)}</strong> },
];

/** The page. */
export function Wallets() {
  const nameOf = useNames();
  return (
    <ListPanel
      title="All wallets"
      what="wallets"
      query="Wallets"
      pageOf={({ wallets }) => wallets}
      filters={filters}
      columns={columnsOf(nameOf)}
      above={({ nodes = [], hasMore }) => <Totals wallets={nodes} isAll={!hasMore} />}
      empty={{
        title: 'There are no wallets yet.',
        children: (
          <>
            Wallets are opened by <a href="/docs#/accounts/createWallet">POST /v1/wallets</a>.
          </>
        ),
      }}
    />
  );
}
