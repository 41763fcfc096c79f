// What a pack comes to, for people: whether it is whole, what happened, which leaf carries each statement, and where it stands. It is checked
// here, in the browser.
import type { ComponentChildren } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import type { Leg } from '../../verify/src/broken.js';
import { hexOf } from '../../verify/src/bytes.js';
import { readKey } from '../../verify/src/note.js';
import type { Leaf } from '../../verify/src/pack.js';
import { statementsOf } from '../../verify/src/story.js';
import { type Trust, type Verdict, verifyPack } from '../../verify/src/verify.js';
import { saveFile } from './download.js';
import { Facts, Id, Json } from './fact.js';
import { words } from './format.js';
import { legs } from './leg.js';
import type { PackText } from './pack-source.js';
import { Badge, Panel } from './panel.js';

type Whole = Extract<Verdict, { outcome: 'anchored' | 'own' }>;
type Broken = Extract<Verdict, { outcome: 'broken' | 'unreadable' }>;

const isWhole = (verdict: Verdict): verdict is Whole => verdict.outcome === 'anchored' || verdict.outcome === 'own';

interface Checked {
  verdict: Verdict;
  ms: number;
}

function check(text: string, trust: Trust): Checked {
  const begun = performance.now();
  const verdict = verifyPack(text, trust);
  return { verdict, ms: performance.now() - begun };
}

/** A key of a log, or a head that somebody has kept; undefined for what is neither. */
function trustOf(given: string): Trust | undefined {
  const text = given.trim();
  if (text === '') return {};
  if (readKey(text) !== undefined) return { vkeys: [text] };
  return /\n\n— /.test(text) ? { heads: [`${text}\n`] } : undefined;
}

/** What a pack says, and the way to keep it. */
export function ReceiptView({ pack, tools }: { pack: PackText; tools?: ComponentChildren }) {
  const [trust, setTrust] = useState<Trust>({});
  const { verdict, ms } = useMemo(() => check(pack.text, trust), [pack.text, trust]);
  return (
    <>
      <Panel
        title={verdictName(verdict)}
        tools={
          <div class="buttons">
            {tools}
            <button type="button" onClick={() => saveFile(pack.fileName, 'application/json', [pack.text])}>
              Download the file
            </button>
          </div>
        }
        class="verdict"
      >
        <div role="status">{isWhole(verdict) ? <WholeText verdict={verdict} /> : <BrokenText verdict={verdict} />}</div>
        <p class="hint">
          Checked in this browser in <span class="took">{Math.max(1, Math.round(ms))}</span> ms. Nobody was asked. Whoever does not want to
          trust this page checks the file with a program of their own: <a href="/docs/verify">how to check a pack</a>.
        </p>
        <TrustForm onTrust={setTrust} />
      </Panel>
      {isWhole(verdict) && <WholeParts verdict={verdict} />}
    </>
  );
}

function verdictName(verdict: Verdict): string {
  if (isWhole(verdict)) return 'The receipt is whole';
  return verdict.outcome === 'broken' ? 'The receipt is broken' : 'This is no receipt';
}

function WholeText({ verdict: { outcome } }: { verdict: Whole }) {
  if (outcome === 'anchored')
    return (
      <>
        <Badge tone="good">Whole, and anchored</Badge>
        <p>Everything in it fits together, and a key or a head that you gave has signed it.</p>
      </>
    );
  return (
    <>
      <Badge tone="good">Whole</Badge> <Badge tone="warn">By the file’s own keys</Badge>
      <p>
        Everything in it fits together. Only the keys in the file say so: compare them with what the platform has told you by another way,
        or give a key or a head that you know.
      </p>
    </>
  );
}

function BrokenText({ verdict }: { verdict: Broken }) {
  if (verdict.outcome === 'unreadable')
    return (
      <>
        <Badge tone="bad">Unreadable</Badge>
        <p>Nothing in it can be checked. A pack of evidence ends in .evidence.json.</p>
      </>
    );
  const { leg, message } = verdict;
  return (
    <>
      <Badge tone="bad">Broken at {leg}</Badge>
      <p>{sentence(message)}</p>
      <p>
        What does not hold: <q>{legs[leg]}</q> Do not rely on anything that it says. It was changed, or damaged on its way: ask whoever gave
        it for another one.
      </p>
    </>
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function TrustForm({ onTrust }: { onTrust: (trust: Trust) => void }) {
  const [id, hint] = [useId(), useId()];
  const [fault, setFault] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const trust = trustOf(String(new FormData(event.currentTarget as HTMLFormElement).get('known') ?? ''));
    setFault(trust === undefined ? 'This is neither a key of a log nor a head.' : '');
    if (trust !== undefined) onTrust(trust);
  };
  return (
    <details>
      <summary>Check it with a key or a head that you know</summary>
      <form class="field" onSubmit={submit}>
        <label for={id}>Key of the log, or a head of it</label>
        <textarea id={id} name="known" rows={4} aria-describedby={hint} spellcheck={false} />
        <p id={hint} class="hint">
          The key is one line with two plus signs, as <code>GET /v1/evidence</code> says it. A head is the text of a checkpoint.
        </p>
        <p class="dialog-error" role="alert">
          {fault}
        </p>
        <div class="buttons">
          <button type="submit">Check again</button>
        </div>
      </form>
    </details>
  );
}

function WholeParts({ verdict }: { verdict: Whole }) {
  return (
    <>
      <Panel title="What happened">
        <ol class="statements">
          {statementsOf(verdict).map(({ text, leaf }) => (
            <li key={text}>
              <span>{text}.</span> <span class="leaf">{leaf === null ? 'Not shown' : `Leaf ${leaf}`}</span>
            </li>
          ))}
        </ol>
      </Panel>
      <div class="halves">
        <Panel title="Where it stands">
          <Place verdict={verdict} />
        </Panel>
        <Panel title="What was checked">
          <Checks checked={verdict.checked} />
        </Panel>
      </div>
      <Panel title="The leaves">
        <ul class="plain">
          {verdict.pack.leaves.map((leaf) => (
            <li key={String(leaf.index)}>
              <LeafText leaf={leaf} />
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Place({ verdict: { head, pack, paid } }: { verdict: Whole }) {
  return (
    <Facts
      facts={[
        ['Leaf of the payment', String(paid.leaf.index)],
        ['Leaves under the head', String(head.size)],
        ['Log', <Id key="log" value={head.origin} />],
        ['Root of the head', <Id key="root" value={hexOf(head.root)} />],
        ['Signed by', <Id key="key" value={head.signedBy.map(({ vkey }) => vkey).join(' ')} />],
        ['Payment', <Id key="id" value={pack.transferId} />],
      ]}
    />
  );
}

function Checks({ checked }: { checked: readonly Leg[] }) {
  const others = (Object.keys(legs) as Leg[]).filter((leg) => !checked.includes(leg));
  return (
    <>
      <ul class="checks">
        {checked.map((leg) => (
          <li key={leg}>
            <Badge tone="good">{words(leg)}</Badge> {legs[leg]}
          </li>
        ))}
      </ul>
      {others.length > 0 && <p class="soft">Not in this file, or not shown in it: {others.join(', ')}.</p>}
    </>
  );
}

function LeafText({ leaf: { index, role, parts, written, sealed } }: { leaf: Leaf }) {
  const hidden = written.length + sealed.length - parts.size;
  const shown = [...parts.keys()];
  return (
    <details>
      <summary>
        Leaf {String(index)}: {role}
        {shown.length > 0 && ` · shows ${shown.join(', ')}`}
        {hidden > 0 && ` · ${hidden} ${hidden === 1 ? 'part' : 'parts'} as a digest alone`}
      </summary>
      {shown.length === 0 ? <p class="soft">It shows no part.</p> : <Json value={Object.fromEntries(parts)} />}
    </details>
  );
}
