// The dead-letter queue: deliveries that were given up, and the buttons that send them again.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask, asRefusal } from '../api.js';
import { Dialog } from '../dialog.js';
import { eventName } from '../event-name.js';
import { count, moment, words } from '../format.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { useList } from '../query.js';
import { More, Table } from '../table.js';

type Letter = Answers['DeadLetters']['deliveries']['nodes'][number];

interface Endpoint {
  id: string;
  url: string;
}

// Gap G-380: The Idempotency-Key of a replay is made of the delivery's id, so a second one within 24 hours sends nothing.
/**
 * Sends deliveries again. A letter stays in the queue, so its replay is named after it: neither another tab nor this page, loaded again,
 * replays it a second time. What a replay fails to deliver is a letter of its own.
 */
function useReplay() {
  const [replayed, setReplayed] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<string>();
  const replay = async ({ id }: Letter) => {
    setBusy(id);
    try {
      await ask('ReplayDelivery', { id }, { idempotencyKey: `replay-${id}` });
      setReplayed((before) => new Set(before).add(id));
    } finally {
      setBusy(undefined);
    }
  };
  return { replayed, busy, replay };
}

const counted = (letters: readonly Letter[]) => `${count(letters.length)} ${letters.length === 1 ? 'dead letter' : 'dead letters'}`;

interface ReplayAllProps {
  letters: readonly Letter[];
  replay: (letter: Letter) => Promise<void>;
  onDone: () => void;
  onClose: () => void;
}

// Gap G-373: The console replays dead letters one by one, because a session may not replay a stretch of time.
/** One by one: the API takes a session for a single replay, and asks for the key itself for a stretch of time. */
function ReplayAll({ letters, replay, onDone, onClose }: ReplayAllProps) {
  const [asked] = useState(letters);
  return (
    <Dialog
      title={`Replay ${counted(asked)}?`}
      action="Replay"
      onConfirm={async () => {
        for (const letter of asked) await replay(letter);
        say(`${counted(asked)} queued again.`);
        onDone();
      }}
      onClose={onClose}
    >
      <p>Each is sent again to its endpoint, which may have taken it before and must know it by its event id.</p>
    </Dialog>
  );
}

const columnsOf = (urlOf: (webhookId: string) => string) => [
  {
    label: 'Event',
    render: ({ eventType, webhookId }: Letter) => (
      <>
        {eventName(eventType)}
        <span class="soft block address">{urlOf(webhookId)}</span>
      </>
    ),
  },
  {
    label: 'Why',
    render: ({ dlqReason, lastResponseCode, lastError }: Letter) => (
      <>
        {words(dlqReason ?? 'unknown')}
        <span class="soft block">{lastResponseCode === null ? lastError : `The last answer was ${lastResponseCode}.`}</span>
      </>
    ),
  },
  { label: 'Attempts', isFigure: true, render: ({ attemptCount }: Letter) => String(attemptCount) },
  { label: 'Given up', render: ({ dlqAt }: Letter) => (dlqAt === null ? '–' : moment(dlqAt)) },
];

/** The panel. */
export function DeadLetters({ webhooks, onReplayed }: { webhooks: readonly Endpoint[]; onReplayed: () => void }) {
  const list = useList('DeadLetters', {}, ({ deliveries }) => deliveries, { every: 30 });
  const { replayed, busy, replay } = useReplay();
  const [isAsked, setAsked] = useState(false);
  const isAllowed = useMay()('webhooks:write');
  const waiting = (list.nodes ?? []).filter(({ id }) => !replayed.has(id));
  const replayOne = async (letter: Letter) => {
    if (busy !== undefined) return;
    try {
      await replay(letter);
      say(`${eventName(letter.eventType)} is queued again.`);
      onReplayed();
    } catch (error) {
      say(`It was not replayed. ${asRefusal(error).message}`);
    }
  };
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (letter: Letter) =>
      replayed.has(letter.id) ? (
        <Badge tone="good">Queued again</Badge>
      ) : (
        isAllowed && (
          <span class="buttons">
            <button type="button" aria-disabled={busy !== undefined} onClick={() => replayOne(letter)}>
              {busy === letter.id ? 'Working …' : 'Replay'}
              <span class="hidden"> {eventName(letter.eventType)}</span>
            </button>
          </span>
        )
      ),
  };
  const columns = [...columnsOf((id) => webhooks.find((webhook) => webhook.id === id)?.url ?? id), action];
  const tools = isAllowed && waiting.length > 1 && (
    <button type="button" onClick={() => setAsked(true)}>
      Replay all shown
    </button>
  );
  return (
    <Panel title="Dead letters" tools={tools}>
      <States asked={list} what="dead letters" isLoaded={list.nodes !== undefined}>
        {list.nodes?.length === 0 ? (
          <Empty title="The dead-letter queue is empty.">A delivery comes here when its endpoint has refused it five times.</Empty>
        ) : (
          <>
            <Table caption="Dead-letter queue" columns={columns} rows={list.nodes ?? []} keyOf={({ id }) => id} isBusy={list.isLoading} />
            <More shown={list.nodes?.length ?? 0} {...list} />
          </>
        )}
      </States>
      {isAsked && <ReplayAll letters={waiting} replay={replay} onDone={onReplayed} onClose={() => setAsked(false)} />}
    </Panel>
  );
}
