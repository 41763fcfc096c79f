// The receipt of a payment: what happened in plain words, with the leaf of the log that carries each statement, and links for others.
import { useEffect, useState } from 'preact/hooks';
import { readPack } from '../../../verify/src/pack.js';
import type { Variables } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import { May } from '../me.js';
import { OnceDialog, type Shown } from '../once.js';
import { named } from '../pack-source.js';
import { Empty, Panel, States } from '../panel.js';
import { useQuery } from '../query.js';
import { ReceiptView } from '../receipt-view.js';
import { PageLink } from '../route.js';
import { LogState } from './evidence.js';

type Parts = NonNullable<Variables['CreateEvidenceLink']['input']['parts']>;

const day = 86_400;
const lifetimes = { [day]: 'In a day', [7 * day]: 'In a week', [30 * day]: 'In 30 days', [365 * day]: 'In a year' };
const audiences = { payee: 'What the payee may see', all: 'Everything that you see here' };

/** The parts that a pack shows. */
function shownParts(text: string): Parts {
  const names = readPack(text)?.leaves.flatMap(({ parts }) => [...parts.keys()]) ?? [];
  return [...new Set(names)] as unknown as Parts;
}

function LinkButton({ id, text }: { id: string; text: string }) {
  const [isAsked, setAsked] = useState(false);
  const [shown, setShown] = useState<Shown>();
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Make a link
      </button>
      {isAsked && (
        <Dialog
          title="A link to this receipt"
          action="Make the link"
          fields={[
            { name: 'audience', label: 'It shows', values: audiences, initial: 'payee' },
            { name: 'expires', label: 'It ends', values: lifetimes, initial: String(30 * day) },
          ]}
          onConfirm={async ({ values, idempotencyKey }) => {
            const parts = values['audience'] === 'all' ? { parts: shownParts(text) } : {};
            const input = { transferId: id, expiresIn: Number(values['expires']), ...parts };
            const { createEvidenceLink } = await ask('CreateEvidenceLink', { input }, { idempotencyKey });
            setShown({ title: 'The link', label: 'Address', value: createEvidenceLink.url ?? '' });
          }}
          onClose={() => setAsked(false)}
        >
          <p>Whoever has the link sees the receipt without signing in, until it ends or is revoked.</p>
        </Dialog>
      )}
      {shown !== undefined && (
        <OnceDialog shown={shown} onClose={() => setShown(undefined)}>
          <p>It is shown here once. Give it to whom the receipt is for.</p>
        </OnceDialog>
      )}
    </>
  );
}

/** The page. */
export function Receipt({ id }: { id: string }) {
  const asked = useQuery('TransferPack', { id });
  const text = asked.data?.transferEvidence;
  const { error } = asked;
  useEffect(() => {
    document.title = 'Receipt · Agent Payments';
  }, []);
  const isWaiting = error?.code === 'state_conflict' && error.details.reason !== 'log_halted';
  return (
    <>
      <p class="back">
        <PageLink page={`payments/${id}`}>The payment</PageLink>
      </p>
      {isWaiting ? (
        <Panel title="There is no receipt">
          <Empty title={error.message}>A payment has a receipt from the moment on in which it is completed.</Empty>
        </Panel>
      ) : (
        <States asked={asked} what="the receipt" isLoaded={text !== undefined}>
          {text !== undefined && (
            <ReceiptView
              pack={named(text)}
              tools={
                <May scope="evidence:write">
                  <LinkButton id={id} text={text} />
                </May>
              }
            />
          )}
        </States>
      )}
      <May scope="evidence:read">
        <LogPanel />
      </May>
    </>
  );
}

function LogPanel() {
  const asked = useQuery('EvidenceLog', {}, { every: 30 });
  const log = asked.data?.evidenceLog;
  return (
    <Panel title="The log" tools={<PageLink page="evidence">Keys and heads of the log</PageLink>}>
      <States asked={asked} what="the log" isLoaded={log !== undefined}>
        {log !== undefined && <LogState log={log} />}
      </States>
    </Panel>
  );
}
