// The merchants, and one of them: what it sells as, the hosts of its shop, and who may read its catalogue.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Detail } from '../detail.js';
import { Dialog, type DialogField } from '../dialog.js';
import { Facts, Id, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Badge, Empty, Panel } from '../panel.js';
import { PageLink } from '../route.js';
import { session } from '../session.js';
import { Status } from '../status.js';

type Row = Answers['Merchants']['merchants']['nodes'][number];
type MerchantData = Answers['Merchant']['merchant'];

const filters: readonly FilterSpec[] = [
  { name: 'status', label: 'State', values: ['active', 'inactive'] },
  { name: 'category', label: 'Category' },
];

const columns = [
  {
    label: 'Merchant',
    render: ({ id, name, url }: Row) => (
      <>
        <PageLink page={`merchants/${id}`}>{name}</PageLink>
        <span class="soft block">{url}</span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Row) => <Status is={status} /> },
  { label: 'Category', render: ({ category }: Row) => category },
  {
    label: 'Account',
    render: ({ account }: Row) => (account === null ? '–' : <PageLink page={`accounts/${account.id}`}>{account.name}</PageLink>),
  },
  { label: 'Shop', render: ({ shopHosts }: Row) => (shopHosts.length === 0 ? <span class="soft">None</span> : shopHosts.join(', ')) },
  { label: 'Created', render: ({ createdAt }: Row) => moment(createdAt) },
];

/** The page. */
export function Merchants() {
  return (
    <ListPanel
      title="All merchants"
      what="merchants"
      query="Merchants"
      pageOf={({ merchants }) => merchants}
      filters={filters}
      columns={columns}
      empty={{
        title: 'There are no merchants yet.',
        children: (
          <>
            Merchants are registered by <a href="/docs#/accounts/createMerchant">POST /v1/merchants</a>.
          </>
        ),
      }}
    />
  );
}

type Offer = Readonly<Record<string, unknown>>;

/** The offer in the metadata of a merchant; undefined where it has none. */
function offerIn({ metadata }: Pick<MerchantData, 'metadata'>): Offer | undefined {
  return (metadata as Readonly<Record<string, Offer>> | null)?.['offer'];
}

const isPublic = (merchant: Pick<MerchantData, 'metadata'>) => offerIn(merchant)?.['catalog'] === 'public';

/** The hosts in a text. */
const hostsIn = (text = ''): string[] => text.split(/[\s,]+/).filter((host) => host !== '');

function HostsButton({ merchant: { id, name, shopHosts } }: { merchant: MerchantData }) {
  const [isAsked, setAsked] = useState(false);
  const isLive = session.current?.environment === 'live';
  const field: DialogField = { name: 'hosts', label: 'Hosts', initial: shopHosts.join(', '), required: false, maxLength: 6_000 };
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Change hosts
      </button>
      {isAsked && (
        <Dialog
          title={`Hosts of ${name}`}
          action="Save"
          fields={[field]}
          onConfirm={async ({ values, idempotencyKey }) => {
            await ask('UpdateMerchant', { id, input: { shopHosts: hostsIn(values['hosts']) } }, { idempotencyKey });
            say('The hosts are changed.');
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            Agents that ask one of them find this merchant alone. Write host names, with a port where it is not 443, and a comma between
            two.
            {isLive && ' In production you may leave some out; who runs the platform adds them.'}
          </p>
        </Dialog>
      )}
    </>
  );
}

function CatalogueButton({ merchant }: { merchant: MerchantData }) {
  const [isAsked, setAsked] = useState(false);
  const isOpen = isPublic(merchant);
  const action = isOpen ? 'Close the catalogue' : 'Open the catalogue';
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        {action}
      </button>
      {isAsked && (
        <Dialog
          title={`${action} of ${merchant.name}?`}
          action={action}
          onConfirm={async ({ idempotencyKey }) => {
            // The offer as it is now: what somebody else has changed meanwhile stays.
            const { merchant: now } = await ask('Merchant', { id: merchant.id });
            const offer = { ...offerIn(now), catalog: isOpen ? 'private' : 'public' };
            await ask('UpdateMerchant', { id: merchant.id, input: { metadata: { ...now.metadata, offer } } }, { idempotencyKey });
            say(isOpen ? 'The catalogue is read with a credential.' : 'Anybody may read the catalogue.');
          }}
          onClose={() => setAsked(false)}
        >
          <p>{isOpen ? 'Agents then need a credential of this workspace to read it.' : 'Agents then read it without a credential.'}</p>
        </Dialog>
      )}
    </>
  );
}

function Shop({ merchant }: { merchant: MerchantData }) {
  const hasOffer = offerIn(merchant) !== undefined;
  const mayChange = useMay()('accounts:write');
  return (
    <Panel
      title="Hosts and catalogue"
      tools={hasOffer && <Badge tone="plain">{isPublic(merchant) ? 'Open catalogue' : 'Closed catalogue'}</Badge>}
    >
      {merchant.shopHosts.length === 0 ? (
        <Empty title="It has no host of its own.">Agents that ask a host of yours for its merchant find none.</Empty>
      ) : (
        <ul class="plain">
          {merchant.shopHosts.map((host) => (
            <li key={host} class="address">
              {host}
            </li>
          ))}
        </ul>
      )}
      {!hasOffer && <p class="soft">It sells nothing by UCP and ACP: it has no offer.</p>}
      {mayChange && (
        <div class="buttons">
          <HostsButton merchant={merchant} />
          {hasOffer && <CatalogueButton merchant={merchant} />}
        </div>
      )}
    </Panel>
  );
}

/** One merchant. */
export function Merchant({ id }: { id: string }) {
  return (
    <Detail
      what="the merchant"
      back={{ page: 'merchants', title: 'merchants' }}
      query="Merchant"
      variables={{ id }}
      nameOf={({ merchant }) => merchant.name}
    >
      {({ merchant }) => (
        <>
          <Panel title={merchant.name} tools={<Status is={merchant.status} />}>
            {merchant.warnings?.map(({ code, message }) => (
              <p key={code}>{message}</p>
            ))}
            <Facts
              facts={[
                ['Category', merchant.category],
                ['Address', merchant.url],
                [
                  'Account',
                  merchant.account === null ? null : <PageLink page={`accounts/${merchant.account.id}`}>{merchant.account.name}</PageLink>,
                ],
                [
                  'Paid to',
                  merchant.settlementWallet === null ? null : (
                    <PageLink page={`wallets/${merchant.settlementWallet.id}`}>{merchant.settlementWallet.name ?? 'Wallet'}</PageLink>
                  ),
                ],
                ['Prices', merchant.acceptsBuyerPrices ? 'Of its offer, or else of buyers' : 'Of its offer alone'],
                ['Registered', when(merchant.createdAt)],
                ['Id', <Id key="id" value={merchant.id} />],
              ]}
            />
          </Panel>
          <Shop merchant={merchant} />
        </>
      )}
    </Detail>
  );
}
