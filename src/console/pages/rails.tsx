// The rails: whether each carries money, and is in order; to who runs the platform also what it has used, and its stop button.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import { count, money, words } from '../format.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';
import { Table } from '../table.js';

type Rail = Answers['Rails']['rails'][number];
type Standing = Pick<Rail, 'rail' | 'status' | 'health'>;
type To = 'on' | 'draining' | 'off';

interface Way {
  to: To;
  action: string;
  text: string;
  done: string;
}

const ways: readonly Way[] = [
  {
    to: 'off',
    action: 'Switch off',
    text: 'Nothing leaves by it after that: no payment is signed or sent. What was sent before ends, and is booked. Orders that it has wait.',
    done: 'is off. Nothing leaves by it.',
  },
  {
    to: 'draining',
    action: 'Drain',
    text: 'It takes no new orders, and finishes those that it has.',
    done: 'takes no new orders.',
  },
  {
    to: 'on',
    action: 'Switch on',
    text: 'Money leaves by it. A doctor has to have found it in order within a day, as it is configured now.',
    done: 'is on.',
  },
];

/** The steps that whoever is signed in may take with a rail that he runs. */
function useWays({ status, health }: Standing): readonly Way[] {
  const may = useMay();
  // Who does not run the platform is shown no health.
  if (health === null || status === 'simulated' || status === 'not_configured') return [];
  return ways.filter(({ to }) => to !== status && (may('rails:write') || (to === 'off' && may('freeze:write'))));
}

/** The buttons that switch a rail: first the one that stops it. */
export function SwitchRail({ rail }: { rail: Standing }) {
  const [asked, setAsked] = useState<Way>();
  const mine = useWays(rail);
  if (mine.length === 0 && asked === undefined) return null;
  return (
    <div class="buttons">
      {mine.map((way) => (
        <button key={way.to} type="button" class={way.to === 'off' ? 'danger' : undefined} onClick={() => setAsked(way)}>
          {way.action}
          <span class="hidden"> {rail.rail}</span>
        </button>
      ))}
      {asked !== undefined && (
        <Dialog
          title={`${asked.action} ${rail.rail}?`}
          action={asked.action}
          isDangerous={asked.to === 'off'}
          fields={[{ name: 'reason', label: 'Reason' }]}
          onConfirm={async ({ values, idempotencyKey }) => {
            const input = { to: asked.to, reason: values['reason'] ?? '' };
            const { switchRail } = await ask('SwitchRail', { rail: rail.rail, input }, { idempotencyKey });
            const sending = switchRail.inFlight ?? [];
            say(sending.length === 0 ? `${rail.rail} ${asked.done}` : `${rail.rail} is off. Still being sent: ${sending.join(', ')}.`);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.text}</p>
        </Dialog>
      )}
    </div>
  );
}

/** Whether a rail is in order; nothing to who does not run it. */
export function Health({ health }: Pick<Rail, 'health'>) {
  if (health === null) return <span class="soft">–</span>;
  if (health.ok) return <Badge tone="good">In order</Badge>;
  return (
    <>
      <Badge tone="bad">Not in order</Badge>
      {health.problems.map(({ check, found }) => (
        <span key={check} class="soft block">
          {words(check)}: {found}
        </span>
      ))}
    </>
  );
}

/** A part of a limit, such as `$5.00 of $100.00`. */
export const usedText = ({ usedToday, limits, currency }: Pick<Rail, 'usedToday' | 'limits' | 'currency'>) =>
  usedToday === null || limits === null ? null : `${money(usedToday.amount, currency)} of ${money(limits.perDay, currency)}`;

const columns = [
  {
    label: 'Rail',
    render: ({ rail, kind, currency }: Rail) => (
      <>
        <PageLink page={`rails/${rail}`}>{rail}</PageLink>
        <span class="soft block">{[currency, kind].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  {
    label: 'State',
    render: ({ status, reason }: Rail) => (
      <>
        <Status is={status} />
        {reason !== null && status !== 'on' && <span class="soft block">{words(reason)}</span>}
      </>
    ),
  },
  { label: 'Health', render: ({ health }: Rail) => <Health health={health} /> },
  {
    label: 'At most',
    isFigure: true,
    render: ({ limits, currency }: Rail) => (limits === null ? '–' : money(limits.perOrder, currency)),
  },
  {
    label: 'Used today',
    isFigure: true,
    render: ({ usedToday, limits, currency }: Rail) =>
      usedToday === null || limits === null ? (
        '–'
      ) : (
        <>
          {money(usedToday.amount, currency)}
          <span class="soft block">of {money(limits.perDay, currency)}</span>
        </>
      ),
  },
  {
    label: 'Open',
    isFigure: true,
    render: ({ open, currency }: Rail) =>
      open === null ? (
        '–'
      ) : (
        <>
          {count(open.count)}
          <span class="soft block">{money(open.amount, currency)}</span>
        </>
      ),
  },
  { label: 'Actions', isSilent: true, render: (rail: Rail) => <SwitchRail rail={rail} /> },
];

/** The page. Rails that nobody serves here come after those that carry money. */
export function Rails() {
  const asked = useQuery('Rails', {}, { every: 15 });
  const rails = asked.data?.rails ?? [];
  const served = rails.filter(({ status }) => status !== 'not_configured');
  const others = rails.length - served.length;
  return (
    <Panel title="Rails">
      <States asked={asked} what="rails" isLoaded={asked.data !== undefined}>
        {served.length === 0 ? (
          <Empty title="No rail is configured.">
            Production pays out by the rails that RAILS_FILE names: docs/real-money.md begins there.
          </Empty>
        ) : (
          <>
            <Table caption="Rails" columns={columns} rows={served} keyOf={({ rail }) => rail} isBusy={asked.isLoading} />
            {others > 0 && <p class="soft">{count(others)} more are not configured here.</p>}
          </>
        )}
      </States>
    </Panel>
  );
}
