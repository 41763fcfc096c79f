// One wallet: its balances, its statement, and the button that stops it.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Detail } from '../detail.js';
import { Dialog } from '../dialog.js';
import { Facts, Id, when } from '../fact.js';
import type { Chosen, FilterSpec } from '../filter.js';
import { amount, moment, money, words } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { useNames } from '../names.js';
import { say } from '../notice.js';
import { Panel } from '../panel.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type WalletData = Answers['Wallet']['wallet'];
type Entry = Answers['Statement']['walletEntries']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'Until', type: 'date' },
];

const dayMs = 86_400_000;
const start = (day: string) => new Date(`${day}T00:00:00`).getTime();
const between =
  (id: string) =>
  ({ from, to }: Chosen) => ({
    id,
    ...(from && { since: new Date(start(from)).toISOString() }),
    ...(to && { until: new Date(start(to) + dayMs).toISOString() }),
  });

const columns = [
  {
    label: 'Posted',
    render: ({ createdAt, transferId }: Entry) =>
      transferId === null ? moment(createdAt) : <PageLink page={`payments/${transferId}`}>{moment(createdAt)}</PageLink>,
  },
  { label: 'Part', render: ({ bucket }: Entry) => words(bucket ?? 'available') },
  { label: 'Out', isFigure: true, render: (entry: Entry) => (entry.direction === 'debit' ? amount(entry.amount) : '') },
  { label: 'In', isFigure: true, render: (entry: Entry) => (entry.direction === 'credit' ? amount(entry.amount) : '') },
  { label: 'Balance after', isFigure: true, render: ({ balanceAfter, currency }: Entry) => money(balanceAfter, currency) },
];

function FreezeButton({ wallet: { id, status, name } }: { wallet: WalletData }) {
  const [isAsked, setAsked] = useState(false);
  const may = useMay();
  const isFrozen = status === 'frozen';
  if (status === 'closed' || !may(isFrozen ? 'policies:write' : 'freeze:write')) return null;
  const action = isFrozen ? 'Unfreeze' : 'Freeze';
  return (
    <>
      <button type="button" class={isFrozen ? undefined : 'danger'} onClick={() => setAsked(true)}>
        {action}
      </button>
      {isAsked && (
        <Dialog
          title={`${action} ${name ?? 'the wallet'}?`}
          action={`${action} the wallet`}
          isDangerous={!isFrozen}
          remark="Reason (optional)"
          onConfirm={async ({ remark, idempotencyKey }) => {
            await ask(
              isFrozen ? 'UnfreezeWallet' : 'FreezeWallet',
              { id, input: remark === undefined ? {} : { reason: remark } },
              { idempotencyKey },
            );
            say(isFrozen ? 'The wallet pays again.' : 'The wallet pays nothing until it is unfrozen.');
          }}
          onClose={() => setAsked(false)}
        >
          <p>{isFrozen ? 'It pays again.' : 'It pays nothing until it is unfrozen. It is still paid.'}</p>
        </Dialog>
      )}
    </>
  );
}

/** The page. */
export function Wallet({ id }: { id: string }) {
  const nameOf = useNames();
  return (
    <Detail
      what="the wallet"
      back={{ page: 'wallets', title: 'wallets' }}
      query="Wallet"
      variables={{ id }}
      nameOf={({ wallet }) => wallet.name ?? 'Wallet'}
    >
      {({ wallet }) => (
        <>
          <Panel title={wallet.name ?? `Wallet of ${nameOf(wallet.ownerId)}`} tools={<Status is={wallet.status} />}>
            {wallet.frozenReason !== null && <p>Frozen: {wallet.frozenReason}</p>}
            <Facts
              facts={[
                ['Available', money(wallet.balance.available, wallet.currency)],
                ['Held', money(wallet.balance.held, wallet.currency)],
                ['Wrapped', money(wallet.balance.wrapped, wallet.currency)],
                ['Incoming', money(wallet.balance.pendingIn, wallet.currency)],
                ['Total', money(wallet.balance.total, wallet.currency)],
                [
                  'Account',
                  wallet.account === null ? null : <PageLink page={`accounts/${wallet.account.id}`}>{wallet.account.name}</PageLink>,
                ],
                [
                  'Agent',
                  wallet.ownerType === 'agent' ? <PageLink page={`agents/${wallet.ownerId}`}>{nameOf(wallet.ownerId)}</PageLink> : null,
                ],
                ['Opened', when(wallet.createdAt)],
                ['Id', <Id key="id" value={wallet.id} />],
              ]}
            />
            <div class="buttons">
              <FreezeButton wallet={wallet} />
              <PageLink page="payments" query={{ walletId: wallet.id }}>
                Payments of this wallet
              </PageLink>
            </div>
          </Panel>
          <ListPanel
            title="Statement"
            what="entries"
            query="Statement"
            variables={between(id)}
            pageOf={({ walletEntries }) => walletEntries}
            filters={filters}
            columns={columns}
            empty={{ title: 'Nothing has been posted yet.', children: 'Each movement of money appears here with the balance after it.' }}
          />
        </>
      )}
    </Detail>
  );
}
