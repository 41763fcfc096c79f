// The search: a field in the head of every page, and a page for what it finds.
import { words } from '../format.js';
import { Empty, Panel, States } from '../panel.js';
import { useQuery } from '../query.js';
import { addressOf, go, PageLink, usePlace } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';

/** The field. */
export function SearchField() {
  const { query } = usePlace();
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('text')).trim();
    if (text !== '') go(addressOf('search', { text }));
  };
  return (
    <search>
      <form onSubmit={find}>
        <input
          key={query['text']}
          type="search"
          name="text"
          aria-label="Search by id, reference, name or e-mail"
          placeholder="Id, reference, name or e-mail"
          maxLength={200}
          defaultValue={query['text']}
          spellcheck={false}
        />
      </form>
    </search>
  );
}

interface Hit {
  type: string;
  id: string;
  name: string | null;
  status: string | null;
  transferId: string | null;
}

const pages: Readonly<Record<string, string>> = {
  account: 'accounts',
  merchant: 'merchants',
  wallet: 'wallets',
  agent: 'agents',
  mandate: 'mandates',
  task: 'tasks',
  approval: 'approvals',
  webhook: 'webhooks',
};

/** The page of what was found, or of the payment that it is about; null where there is none. */
function pageOf({ type, id, transferId }: Hit): string | null {
  const own = pages[type];
  if (own !== undefined) return `${own}/${id}`;
  return transferId === null ? null : `payments/${transferId}`;
}

const columns = [
  {
    label: 'Name',
    render: (hit: Hit) => {
      const page = pageOf(hit);
      const name = hit.name ?? hit.id;
      return page === null ? name : <PageLink page={page}>{name}</PageLink>;
    },
  },
  { label: 'Kind', render: ({ type }: Hit) => (type === 'transfer' ? 'Payment' : words(type)) },
  { label: 'State', render: ({ status }: Hit) => (status === null ? '–' : <Status is={status} />) },
];

function Hits({ text }: { text: string }) {
  const asked = useQuery('Search', { text });
  const hits = asked.data?.search;
  return (
    <States asked={asked} what="what was found" isLoaded={hits !== undefined}>
      {hits?.length === 0 ? (
        <Empty title={`Nothing was found for ${text}.`}>
          Search for a whole id or reference, or for the beginning of a name or an e-mail address.
        </Empty>
      ) : (
        <Table caption="Results" columns={columns} rows={hits ?? []} keyOf={({ id }) => id} isBusy={asked.isLoading} />
      )}
    </States>
  );
}

/** The page. */
export function Search() {
  const text = usePlace().query['text'] ?? '';
  return (
    <Panel title={text === '' ? 'Search' : `Results for “${text}”`}>
      {text === '' ? <Empty title="Enter something to search for.">Use the field at the top of the page.</Empty> : <Hits text={text} />}
    </Panel>
  );
}
