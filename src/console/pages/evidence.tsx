// The log of evidence: whether it is open and what to do where it is not, its newest head, its keys, who may read it, and links to receipts.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from '../answers.js';
import { ask, asRefusal } from '../api.js';
import { saveFile } from '../download.js';
import { Facts, Id, when } from '../fact.js';
import { FormError, FormField, SubmitButton, useSubmission } from '../form.js';
import { count, moment } from '../format.js';
import { May } from '../me.js';
import { say } from '../notice.js';
import { Badge, Panel, States } from '../panel.js';
import { changed, useQuery } from '../query.js';
import { Table } from '../table.js';
import { EvidenceLinks } from './evidence-links.js';

type Log = Answers['EvidenceLog']['evidenceLog'];

const states: Readonly<Record<Log['state'], { name: string; tone: 'good' | 'bad' | 'plain'; text: string }>> = {
  open: { name: 'Open', tone: 'good', text: 'A change is under a signed head within two seconds.' },
  halted: {
    name: 'Halted',
    tone: 'bad',
    text: 'It signs no newer head, so that it never says two things. Payments go on, and what was signed can be read. Whoever runs the platform looks at it: cli evidence status, then resume or renew.',
  },
  ended: { name: 'Ended', tone: 'plain', text: 'Another log continues it. What it has signed stays good.' },
};

const reasons: Readonly<Record<string, string>> = {
  memory_ahead: 'More was signed than the database has: it was put back to an earlier state.',
  memory_differs: 'The database has another history than the one that was signed.',
  memory_missing: 'The database is in another cluster, and nobody remembers here what was signed.',
};

/** Whether a log signs, and what to do where it does not. */
export function LogState({ log: { state, reason, behind } }: { log: Log }) {
  const { name, tone, text } = states[state];
  return (
    <>
      <p>
        <Badge tone={tone}>{name}</Badge> {behind > 0 && `${count(behind)} ${behind === 1 ? 'leaf is' : 'leaves are'} under no head yet.`}
      </p>
      {reason !== null && <p>{reasons[reason] ?? reason}</p>}
      <p>
        {text} {state !== 'open' && <a href="/docs/operations#logs-of-evidence">What to do, step by step</a>}
      </p>
    </>
  );
}

/** Saves the newest head: whoever has it can prove later that nothing before it was changed. */
function HeadButton({ treeSize }: { treeSize: number }) {
  const [fault, setFault] = useState('');
  const keep = async () => {
    setFault('');
    try {
      const { evidenceHead } = await ask('EvidenceHead', { treeSize });
      saveFile(`head-${evidenceHead.treeSize}.txt`, 'text/plain', [evidenceHead.checkpoint]);
    } catch (error) {
      setFault(asRefusal(error).message);
    }
  };
  return (
    <div class="buttons">
      <span role="alert">{fault}</span>
      <button type="button" onClick={keep}>
        Keep this head
      </button>
    </div>
  );
}

function Head({ log: { treeSize, rootHash, headAt, behind, origin, id, continues } }: { log: Log }) {
  return (
    <Facts
      facts={[
        ['Leaves', count(treeSize)],
        ['Behind', count(behind)],
        ['Signed', when(headAt)],
        ['Root', rootHash === null ? null : <Id key="root" value={rootHash} />],
        ['Name', <Id key="origin" value={origin} />],
        ['Id', <Id key="id" value={id} />],
        ['Continues', continues === null ? null : <Id key="continues" value={continues} />],
      ]}
    />
  );
}

const publishing: Readonly<Record<Log['publish'], string>> = {
  off: 'Nobody without a credential',
  heads: 'Whoever has its id: the signed heads',
  tiles: 'Whoever has its id: heads and tiles, as mirrors take them',
};

function Publishing({ log: { publish, headEventSeconds, prefix } }: { log: Log }) {
  const submission = useSubmission(async (read) => {
    const input: Variables['UpdateEvidenceLog']['input'] = {
      publish: read('publish') as Log['publish'],
      headEventSeconds: Number(read('seconds')),
    };
    await ask('UpdateEvidenceLog', { input });
    changed();
    say('The log is read so from now on.');
  });
  const place = publish !== 'off' && (
    <p>
      It is read at <span class="address">{prefix}</span>.
    </p>
  );
  return (
    <>
      {place}
      <p class="soft">What is published are hashes: nobody learns from them what was paid.</p>
      <form class="narrow" onSubmit={submission.submit}>
        <fieldset class="options">
          <legend>Who reads the log</legend>
          {(Object.keys(publishing) as Log['publish'][]).map((name) => (
            <label key={name}>
              <input type="radio" name="publish" value={name} defaultChecked={name === publish} /> {publishing[name]}
            </label>
          ))}
        </fieldset>
        <FormField
          name="seconds"
          label="Seconds between two events with its head"
          initial={String(headEventSeconds)}
          maxLength={5}
          hint="The event evidence.head brings heads to your webhooks, where they are out of our hands: 60 to 86,400."
        />
        <FormError submission={submission} />
        <SubmitButton submission={submission}>Save</SubmitButton>
      </form>
    </>
  );
}

function Keys({ keys }: { keys: Log['vkeys'] }) {
  return (
    <Table
      caption="Keys of the log"
      rows={keys}
      keyOf={({ vkey }) => vkey}
      columns={[
        { label: 'Key', render: ({ vkey }) => <Id value={vkey} /> },
        { label: 'Signs from', render: ({ from }) => moment(from) },
        { label: 'Until', render: ({ until }) => when(until) ?? 'It is replaced' },
      ]}
    />
  );
}

/** The page. */
export function EvidenceLog() {
  const asked = useQuery('EvidenceLog', {}, { every: 10 });
  const log = asked.data?.evidenceLog;
  return (
    <States asked={asked} what="the log" isLoaded={log !== undefined}>
      {log !== undefined && (
        <>
          <div class="halves">
            <Panel title="State">
              <LogState log={log} />
            </Panel>
            <Panel title="Newest head" tools={log.treeSize > 0 && <HeadButton treeSize={log.treeSize} />}>
              <Head log={log} />
            </Panel>
          </div>
          <Panel title="Keys">
            <p class="soft">Give these to whoever checks your receipts, by another way than the receipts.</p>
            <Keys keys={log.vkeys} />
          </Panel>
          <May scope="evidence:write">
            <Panel title="Publishing">
              <Publishing key={`${log.publish} ${log.headEventSeconds}`} log={log} />
            </Panel>
          </May>
          <EvidenceLinks />
        </>
      )}
    </States>
  );
}
