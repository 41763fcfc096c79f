// What happens right now: the last operations, and new ones as they become final. The list keeps its size, and can be held still.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { type Connection, follow } from '../api.js';
import { now, workspaceClock } from '../clock.js';
import { count, moment, money, timeOrDay, words } from '../format.js';
import { newest } from '../newest.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { protocolName } from '../protocol.js';
import { useQuery } from '../query.js';

type Operation = Answers['Recent']['recentActivity'][number];

const mostShown = 50;
/** Seconds after which a lost stream is asked for again. */
const againAfter = 15;
/** Figures and the voice of a screen reader follow the first operation soon, and however much happens no more often than this. */
const soonMs = 500;
const paceMs = 5_000;

const states: Readonly<Record<Connection, { tone: 'good' | 'warn' | 'bad'; text: string }>> = {
  connecting: { tone: 'warn', text: 'Connecting …' },
  live: { tone: 'good', text: 'Live' },
  lost: { tone: 'bad', text: 'Not connected' },
};

/** Operations as they are recorded; `onPace` hears of them now and then, while somebody looks. */
function useRecorded(attempt: number, onPace: (many: number) => void) {
  const [connection, setConnection] = useState<Connection>('connecting');
  const [recorded, setRecorded] = useState<readonly Operation[]>([]);
  const latest = useRef(onPace);
  latest.current = onPace;
  // another attempt connects again
  useEffect(() => {
    let fresh = 0;
    let quietUntil = 0;
    const timer = setInterval(() => {
      if (fresh === 0 || now() < quietUntil || document.visibilityState === 'hidden') return;
      latest.current(fresh);
      fresh = 0;
      quietUntil = now() + paceMs;
    }, soonMs);
    const leave = follow(
      'Recorded',
      {},
      {
        next: ({ operationRecorded: { operation } }) => {
          if (operation === null) return;
          fresh += 1;
          setRecorded((before) => newest(mostShown, [operation], before));
        },
        connection: setConnection,
      },
    );
    return () => {
      clearInterval(timer);
      leave();
    };
  }, [attempt]);
  return { connection, recorded };
}

const names: Readonly<Record<string, string>> = { x402_payment: 'x402 payment', mpp_payment: 'MPP payment' };

function Row({ operation, isNew }: { operation: Operation; isNew: boolean }) {
  const { time, description, counterparty, protocol, success, amount, currency, category, operation: name } = operation;
  return (
    <li class={isNew ? 'new' : undefined}>
      <time dateTime={time} title={moment(time)}>
        {timeOrDay(time, workspaceClock.now())}
      </time>
      <span class="what" title={description}>
        {names[category] ?? words(category)}
        {counterparty !== null && (
          <span class="soft">
            {' · '}
            <bdi>{counterparty.name}</bdi>
          </span>
        )}
      </span>
      <span class="soft kind">
        {protocolName(protocol)} · {name}
      </span>
      <Badge tone={success ? 'good' : 'bad'}>{success ? 'Succeeded' : 'Unsuccessful'}</Badge>
      <span class="figure">{money(amount, currency)}</span>
    </li>
  );
}

/** The panel. `onRecorded` is called when figures may have changed. */
export function Live({ onRecorded }: { onRecorded: () => void }) {
  const [attempt, setAttempt] = useState(0);
  const [held, setHeld] = useState<readonly Operation[]>();
  const [spoken, setSpoken] = useState('');
  const recent = useQuery('Recent', {});
  const { connection, recorded } = useRecorded(attempt, (many) => {
    onRecorded();
    setSpoken(`${count(many)} new ${many === 1 ? 'operation' : 'operations'}`);
  });
  // What happened before the stream was there, or while it was away.
  const { refresh } = recent;
  useEffect(() => {
    if (connection === 'live') refresh();
  }, [connection, refresh]);

  useEffect(() => {
    if (connection !== 'lost') return undefined;
    const timer = setTimeout(() => setAttempt((before) => before + 1), againAfter * 1000);
    return () => clearTimeout(timer);
  }, [connection]);

  const known = new Set(recorded.map(({ id }) => id));
  const all = newest(mostShown, recorded, recent.data?.recentActivity ?? []);
  const shown = held ?? all;
  const behind = held === undefined ? 0 : all.filter(({ id }) => !held.some((old) => old.id === id)).length;
  const { tone, text } = states[connection];
  const tools = (
    <div class="buttons">
      <Badge tone={tone}>{text}</Badge>
      {connection === 'lost' && (
        <button type="button" onClick={() => setAttempt(attempt + 1)}>
          Connect again
        </button>
      )}
      {behind > 0 && <span class="hint">{count(behind)} new</span>}
      <button type="button" aria-pressed={held !== undefined} onClick={() => setHeld(held === undefined ? all : undefined)}>
        Pause
      </button>
    </div>
  );
  return (
    <Panel title="Newest activity" tools={tools} class="live">
      <p class="hidden" aria-live="polite">
        {held === undefined ? spoken : ''}
      </p>
      <States asked={recent} what="operations" isLoaded={recent.data !== undefined}>
        {shown.length === 0 ? (
          <Empty title="Nothing has happened yet.">Operations appear here when they become final. Make a payment to see one.</Empty>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
          <section class="scroll" tabIndex={0} aria-label="Operations, newest first">
            <ol class="operations">
              {shown.map((operation) => (
                <Row key={operation.id} operation={operation} isNew={known.has(operation.id)} />
              ))}
            </ol>
          </section>
        )}
      </States>
    </Panel>
  );
}
