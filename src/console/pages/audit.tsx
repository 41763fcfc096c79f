// The audit log: who did what, and whether the chain of its entries is whole.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask, asRefusal } from '../api.js';
import { Id, Json } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { count, moment, words } from '../format.js';
import { ListPanel } from '../list.js';
import { Badge } from '../panel.js';

type Entry = Answers['AuditLog']['auditLog']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'actor', label: 'Actor', placeholder: 'api_key or an id' },
  { name: 'action', label: 'Action', placeholder: 'createTransfer' },
  { name: 'resourceId', label: 'Resource', placeholder: 'Resource id' },
];

interface Verified {
  isValid: boolean;
  text: string;
}

/** Checks all entries, part by part. */
async function verifyAll(onChecked: (checked: number) => void): Promise<Verified> {
  let checked = 0;
  let after: string | null = null;
  do {
    const { verifyAuditLog }: Answers['VerifyAuditLog'] = await ask('VerifyAuditLog', { after });
    checked += verifyAuditLog.checked;
    onChecked(checked);
    if (!verifyAuditLog.valid) return { isValid: false, text: `Entry ${verifyAuditLog.firstInvalidId} was changed after it was written.` };
    after = verifyAuditLog.nextAfter;
  } while (after !== null);
  return { isValid: true, text: `${count(checked)} entries verified: none was changed.` };
}

function Verify() {
  const [checked, setChecked] = useState<number>();
  const [result, setResult] = useState<Verified>();
  const start = async () => {
    if (checked !== undefined) return;
    setChecked(0);
    try {
      setResult(await verifyAll(setChecked));
    } catch (error) {
      setResult({ isValid: false, text: `The log was not verified. ${asRefusal(error).message}` });
    } finally {
      setChecked(undefined);
    }
  };
  return (
    <div class="buttons">
      <span role="status">{result !== undefined && <Badge tone={result.isValid ? 'good' : 'bad'}>{result.text}</Badge>}</span>
      <button type="button" onClick={start} aria-disabled={checked !== undefined}>
        {checked === undefined ? 'Verify the log' : `${count(checked)} entries checked …`}
      </button>
    </div>
  );
}

const columnsOf = (opened: string | undefined, open: (id: string | undefined) => void) => [
  { label: 'At', render: ({ at }: Entry) => moment(at) },
  {
    label: 'Actor',
    render: ({ actor }: Entry) => (
      <>
        {words(actor.type)}
        {actor.id !== null && (
          <span class="block">
            <Id value={actor.id} />
          </span>
        )}
      </>
    ),
  },
  { label: 'Action', render: ({ action }: Entry) => action },
  {
    label: 'Resource',
    render: ({ resourceType, resourceId }: Entry) => (
      <>
        {resourceType === null ? '–' : words(resourceType)}
        {resourceId !== null && (
          <span class="block">
            <Id value={resourceId} />
          </span>
        )}
      </>
    ),
  },
  { label: 'IP address', render: ({ ip }: Entry) => ip ?? '–' },
  {
    label: 'Details',
    isSilent: true,
    render: ({ id, action }: Entry) => (
      <button type="button" aria-expanded={opened === id} onClick={() => open(opened === id ? undefined : id)}>
        Details<span class="hidden"> of {action}</span>
      </button>
    ),
  },
];

/** The page. */
export function AuditLog() {
  const [opened, open] = useState<string>();
  return (
    <ListPanel
      title="All entries"
      what="entries"
      query="AuditLog"
      pageOf={({ auditLog }) => auditLog}
      filters={filters}
      columns={columnsOf(opened, open)}
      below={({ id, changes, requestId, position }) => (id === opened ? <Json value={{ id, position, requestId, changes }} /> : null)}
      tools={<Verify />}
      empty={{ title: 'There are no entries yet.', children: 'Each change by a person, a key or an agent appears here.' }}
    />
  );
}
