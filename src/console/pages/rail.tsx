// One rail: how it stands, its stop button, what is wrong with it, what it holds, and whether that is what the ledger says.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { Detail } from '../detail.js';
import { Facts, when } from '../fact.js';
import { count, duration, moment, money, words } from '../format.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { useQuery } from '../query.js';
import { Status } from '../status.js';
import { Table } from '../table.js';
import { Health, SwitchRail, usedText } from './rails.js';

type RailData = Answers['Rail']['rail'];
type ProofData = Answers['RailProof']['railProof'];

function Head({ rail }: { rail: RailData }) {
  const { rail: name, currency, status, reason, health, limits, open, fee, network, expectedSeconds, directions, usedToday } = rail;
  return (
    <Panel title={name} tools={<Status is={status} />}>
      {reason !== null && <p>Reason: {words(reason)}</p>}
      <Facts
        facts={[
          ['Health', health === null ? null : <Health key="health" health={health} />],
          ['Since', health === null ? null : when(health.since)],
          ['Currency', currency],
          ['Directions', directions.map(words).join(', ')],
          ['Network', network],
          ['Fee', fee === null ? null : money(fee, currency)],
          ['At most, one order', limits === null ? null : money(limits.perOrder, currency)],
          ['Used today', usedText(rail)],
          ['Orders today', usedToday === null || limits === null ? null : `${count(usedToday.count)} of ${count(limits.perDayCount)}`],
          ['Open', open === null ? null : `${count(open.count)}, ${money(open.amount, currency)}`],
          ['Oldest open', open === null ? null : when(open.oldestAt)],
          ['Usual time', expectedSeconds === null ? null : duration(expectedSeconds)],
        ]}
      />
      <SwitchRail rail={rail} />
    </Panel>
  );
}

function Problems({ problems }: { problems: NonNullable<RailData['health']>['problems'] }) {
  if (problems.length === 0) return <Empty title="Nothing is wrong.">Its checks run every minute.</Empty>;
  return (
    <Table
      caption="Problems"
      rows={problems}
      keyOf={({ check, found }) => `${check} ${found}`}
      columns={[
        { label: 'Check', render: ({ check }) => words(check) },
        { label: 'Found', render: ({ found }) => found },
        { label: 'What to do', render: ({ fix }) => fix ?? '–' },
        { label: 'New orders', render: ({ stops }) => (stops ? <Badge tone="bad">Refused</Badge> : <Badge tone="plain">Taken</Badge>) },
      ]}
    />
  );
}

function Balances({ balances }: { balances: NonNullable<RailData['balances']> }) {
  if (balances.length === 0) return <Empty title="Nobody knows yet.">What is where is read once a minute.</Empty>;
  return (
    <Table
      caption="Balances"
      rows={balances}
      keyOf={({ where }) => where}
      columns={[
        { label: 'Place', render: ({ where }) => where },
        { label: 'Amount', isFigure: true, render: ({ amount, unit }) => `${amount} ${unit}` },
      ]}
    />
  );
}

interface ProofLine {
  what: string;
  amount: string;
}

function linesOf({ outside, ledger, inFlight, explained, difference }: ProofData): ProofLine[] {
  return [
    ...outside.map(({ where, amount }) => ({ what: `Outside: ${where}`, amount })),
    { what: 'By the ledger: in, less out', amount: ledger },
    { what: 'In flight', amount: inFlight },
    ...explained.map(({ reason, count: many, amount }) => ({ what: `${words(reason)} (${count(many)})`, amount })),
    { what: 'Difference', amount: difference },
  ];
}

function Proof({ rail }: { rail: string }) {
  const asked = useQuery('RailProof', { rail }, { every: 300 });
  const proof = asked.data?.railProof;
  return (
    <States asked={asked} what="the proof" isLoaded={proof !== undefined}>
      {proof !== undefined && (
        <>
          <p>
            {Number(proof.difference) === 0 ? <Badge tone="good">Agrees</Badge> : <Badge tone="bad">Differs</Badge>} At block{' '}
            {String(proof.at.block)} of {moment(proof.at.time)}
          </p>
          <Table
            caption="Proof"
            rows={linesOf(proof)}
            keyOf={({ what }) => what}
            columns={[
              { label: 'What', render: ({ what }) => what },
              { label: 'Amount', isFigure: true, render: ({ amount }) => money(amount, proof.currency) },
            ]}
          />
        </>
      )}
    </States>
  );
}

function ProofPanel({ rail }: { rail: string }) {
  const [isAsked, setAsked] = useState(false);
  const button = (
    <button type="button" onClick={() => setAsked(true)}>
      Prove now
    </button>
  );
  return (
    <Panel title="Outside, and in the ledger" tools={isAsked ? undefined : button}>
      {isAsked ? <Proof rail={rail} /> : <p>What the rail holds outside, beside the ledgers of all workspaces, to the smallest unit.</p>}
    </Panel>
  );
}

/** The page. */
export function Rail({ id }: { id: string }) {
  return (
    <Detail
      what="the rail"
      back={{ page: 'rails', title: 'rails' }}
      query="Rail"
      variables={{ rail: id }}
      nameOf={({ rail }) => rail.rail}
      every={15}
    >
      {({ rail }) => (
        <>
          <Head rail={rail} />
          {rail.health !== null && (
            <div class="halves">
              <Panel title="Problems">
                <Problems problems={rail.health.problems} />
              </Panel>
              <Panel title="Balances">
                <Balances balances={rail.balances ?? []} />
              </Panel>
            </div>
          )}
          {rail.health !== null && <ProofPanel rail={rail.rail} />}
        </>
      )}
    </Detail>
  );
}
