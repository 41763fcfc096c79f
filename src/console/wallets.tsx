// The wallets and what is in them. Balances are shown as the ledger has them, to the last digit.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import { Filter } from './filter.js';
import { amount, money, sum, words } from './format.js';
import { useNames } from './names.js';
import { Badge, Empty, Panel, States, Tile } from './panel.js';
import { useList } from './query.js';
import { More, Table } from './table.js';

type Wallet = Answers['Wallets']['wallets']['nodes'][number];
type Status = NonNullable<Variables['Wallets']['status']>;

const statuses: readonly Status[] = ['active', 'frozen', 'closed'];
const tones = { active: 'good', frozen: 'warn', closed: 'plain' } as const;

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

const columnsOf = (nameOf: (id: string) => string) => [
  {
    label: 'Wallet',
    render: ({ name, account, ownerType, ownerId }: Wallet) => (
      <>
        {name ?? (ownerType === 'agent' ? `Wallet of ${nameOf(ownerId)}` : 'Wallet of the account')}
        <span class="soft block">{account?.name}</span>
      </>
    ),
  },
  {
    label: 'Status',
    render: ({ status, frozenReason }: Wallet) => (
      <>
        <Badge tone={tones[status]}>{words(status)}</Badge>
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
  { label: 'On its way in', isFigure: true, render: ({ balance }: Wallet) => figure(balance.pendingIn) },
  { label: 'Total', isFigure: true, render: ({ balance }: Wallet) => <strong>{amount(balance.total)}</strong> },
];

/** The page. */
export function Wallets() {
  const [status, setStatus] = useState<Status | ''>('');
  const nameOf = useNames();
  const list = useList('Wallets', status === '' ? {} : { status }, ({ wallets }) => wallets, { every: 30 });
  return (
    <Panel title="Where is the money?" tools={<Filter label="Status" values={statuses} value={status} choose={setStatus} />}>
      <States asked={list} what="wallets" isLoaded={list.nodes !== undefined}>
        {list.nodes?.length === 0 ? (
          <Empty title={status === '' ? 'There are no wallets yet.' : `No wallet is ${status}.`}>
            Wallets are opened by <a href="/docs#/accounts/createWallet">POST /v1/wallets</a>.
          </Empty>
        ) : (
          <>
            <Totals wallets={list.nodes ?? []} isAll={!list.hasMore} />
            <Table caption="Wallets" columns={columnsOf(nameOf)} rows={list.nodes ?? []} keyOf={({ id }) => id} isBusy={list.isLoading} />
            <More shown={list.nodes?.length ?? 0} {...list} />
          </>
        )}
      </States>
    </Panel>
  );
}
