// The list of API keys, and the dialogs that make, roll and revoke one. A key is shown once.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answers, Variables } from '../answers.js';
import { ask, Refusal } from '../api.js';
import { Dialog } from '../dialog.js';
import { when } from '../fact.js';
import { moment } from '../format.js';
import { useMay } from '../me.js';
import { useMemberNames } from '../names.js';
import { say } from '../notice.js';
import { OnceDialog, type Shown } from '../once.js';
import { Empty, Panel, States } from '../panel.js';
import { useList } from '../query.js';
import { PageLink } from '../route.js';
import { scopesText } from '../scope.js';
import { chosenScopes, ScopeTable } from '../scope-table.js';
import { Status } from '../status.js';
import { More, Table } from '../table.js';

type Key = Answers['ApiKeys']['apiKeys']['nodes'][number];

/** How a dialog asks: for a session that was made of a key with the key itself. */
interface Asking {
  apiKey: string | undefined;
  onClose: () => void;
}

function Maker({ id, keys }: { id: string | null; keys: readonly Key[] }) {
  const nameOf = useMemberNames();
  if (id === null) return <>the command line</>;
  const key = keys.find((one) => one.id === id);
  if (!id.startsWith('mem_')) return <>{key?.name ?? 'an API key'}</>;
  return <PageLink page={`members/${id}`}>{nameOf(id)}</PageLink>;
}

const columnsOf = (keys: readonly Key[]) => [
  {
    label: 'Key',
    render: ({ name, prefix }: Key) => (
      <>
        {name}
        <span class="soft block">
          <code>{prefix}…</code>
        </span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Key) => <Status is={status} /> },
  { label: 'May do', render: ({ scopes }: Key) => scopesText(scopes) },
  { label: 'From', render: ({ allowedIps }: Key) => allowedIps?.join(', ') ?? 'Everywhere' },
  {
    label: 'Made',
    render: ({ createdAt, createdBy }: Key) => (
      <>
        {moment(createdAt)}
        <span class="soft block">
          by <Maker id={createdBy} keys={keys} />
        </span>
      </>
    ),
  },
  {
    label: 'Last used',
    render: ({ lastUsedAt, lastUsedIp }: Key) => (
      <>
        {when(lastUsedAt) ?? 'Never'}
        {lastUsedIp !== null && <span class="soft block">from {lastUsedIp}</span>}
      </>
    ),
  },
  { label: 'Expires', render: ({ expiresAt }: Key) => when(expiresAt) ?? 'Never' },
];

const onceText = 'It is shown here once. Put it where your program reads its secrets.';

function Create({ apiKey, onClose, onMade }: Asking & { onMade: (shown: Shown) => void }) {
  return (
    <Dialog
      title="Make an API key"
      action="Make the key"
      fields={[
        { name: 'name', label: 'Name', maxLength: 200 },
        { name: 'ips', label: 'Only from these networks (optional), such as 203.0.113.0/24', required: false },
        { name: 'expires', label: 'Ends on (optional)', type: 'date', required: false },
      ]}
      onConfirm={async ({ values, data, idempotencyKey }) => {
        const { name = '', ips, expires } = values;
        const scopes = chosenScopes(data);
        if (scopes?.length === 0) throw new Refusal('Choose what the key may do.', 'page');
        const input: Variables['CreateApiKey']['input'] = {
          name,
          ...(scopes && { scopes }),
          ...(ips !== undefined && { allowedIps: ips.split(/[\s,]+/).filter(Boolean) }),
          ...(expires !== undefined && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
        };
        const { createApiKey } = await ask('CreateApiKey', { input }, { idempotencyKey, apiKey });
        onMade({ title: `The key ${name}`, label: 'API key', value: createApiKey.key ?? '' });
      }}
      onClose={onClose}
      below={<ScopeTable />}
    />
  );
}

function Roll({ of, apiKey, onClose, onMade }: Asking & { of: Key; onMade: (shown: Shown) => void }) {
  return (
    <Dialog
      title={`Roll ${of.name}?`}
      action="Roll the key"
      fields={[
        { name: 'overlap', label: 'The old key ends', values: { 0: 'At once', 3600: 'In an hour', 86400: 'In a day' }, initial: '0' },
      ]}
      onConfirm={async ({ values, idempotencyKey }) => {
        const input = { overlapSeconds: Number(values['overlap']) };
        const { rollApiKey } = await ask('RollApiKey', { id: of.id, input }, { idempotencyKey, apiKey });
        onMade({ title: `The new key ${of.name}`, label: 'API key', value: rollApiKey.key ?? '' });
      }}
      onClose={onClose}
    >
      <p>A new key with the same name, scopes and addresses takes its place.</p>
    </Dialog>
  );
}

function Revoke({ of, apiKey, onClose }: Asking & { of: Key }) {
  return (
    <Dialog
      title={`Revoke ${of.name}?`}
      action="Revoke the key"
      isDangerous
      onConfirm={async ({ idempotencyKey }) => {
        await ask('RevokeApiKey', { id: of.id }, { idempotencyKey, apiKey });
        say(`${of.name} is revoked.`);
      }}
      onClose={onClose}
    >
      <p>Programs that use it are refused at once, and sessions that were signed in with it end. This cannot be undone.</p>
    </Dialog>
  );
}

type AskedOf = { kind: 'create' } | { kind: 'roll' | 'revoke'; of: Key };

/** The list. `children` stand beside its button. */
export function Keys({ apiKey, children }: { apiKey: string | undefined; children: ComponentChildren }) {
  const list = useList('ApiKeys', {}, ({ apiKeys }) => apiKeys, apiKey === undefined ? {} : { apiKey });
  const isAllowed = useMay()('keys:write');
  const [asked, setAsked] = useState<AskedOf>();
  const [shown, setShown] = useState<Shown>();
  const onClose = () => setAsked(undefined);
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (key: Key) =>
      key.status === 'active' && (
        <span class="buttons">
          <button type="button" onClick={() => setAsked({ kind: 'roll', of: key })}>
            Roll<span class="hidden"> {key.name}</span>
          </button>
          <button type="button" class="danger" onClick={() => setAsked({ kind: 'revoke', of: key })}>
            Revoke<span class="hidden"> {key.name}</span>
          </button>
        </span>
      ),
  };
  const rows = list.nodes ?? [];
  const columns = isAllowed ? [...columnsOf(rows), action] : columnsOf(rows);
  const tools = (
    <div class="buttons">
      {children}
      {isAllowed && (
        <button type="button" class="primary" onClick={() => setAsked({ kind: 'create' })}>
          Make an API key
        </button>
      )}
    </div>
  );
  return (
    <Panel title="All API keys" tools={tools}>
      <States asked={list} what="API keys" isLoaded={list.nodes !== undefined}>
        {rows.length === 0 ? (
          <Empty title="There are no API keys.">A program shows a key with each request. Make one here.</Empty>
        ) : (
          <>
            <Table caption="API keys" columns={columns} rows={rows} keyOf={({ id }) => id} isBusy={list.isLoading} />
            <More shown={rows.length} {...list} />
          </>
        )}
      </States>
      {asked?.kind === 'create' && <Create apiKey={apiKey} onClose={onClose} onMade={setShown} />}
      {asked?.kind === 'roll' && <Roll of={asked.of} apiKey={apiKey} onClose={onClose} onMade={setShown} />}
      {asked?.kind === 'revoke' && <Revoke of={asked.of} apiKey={apiKey} onClose={onClose} />}
      {shown !== undefined && (
        <OnceDialog shown={shown} onClose={() => setShown(undefined)}>
          <p>{onceText}</p>
        </OnceDialog>
      )}
    </Panel>
  );
}
