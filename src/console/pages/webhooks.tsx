// The webhooks: whether each endpoint takes what it is sent, and how fast; below them the dead letters of all.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { eventName } from '../event-name.js';
import { count, moment, words } from '../format.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { useList, useQuery } from '../query.js';
import { PageLink } from '../route.js';
import { More } from '../table.js';
import { DeadLetters } from './dead-letters.js';

type Webhook = Answers['Webhooks']['webhooks']['nodes'][number];

/** How an endpoint stands. */
export function Health({
  webhook: { status, failingSince, disabledReason },
}: {
  webhook: Pick<Webhook, 'status' | 'failingSince' | 'disabledReason'>;
}) {
  if (status !== 'active')
    return (
      <Badge tone={status === 'paused' ? 'plain' : 'bad'}>
        {words(status)}
        {disabledReason === null ? '' : `: ${words(disabledReason).toLowerCase()}`}
      </Badge>
    );
  if (failingSince !== null) return <Badge tone="bad">Failing since {moment(failingSince)}</Badge>;
  return <Badge tone="good">Healthy</Badge>;
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const ms = (value: number | null) => (value === null ? '–' : `${count(value)} ms`);

function Endpoint({ webhook }: { webhook: Webhook }) {
  const { id, url, description, events } = webhook;
  const stats = useQuery('WebhookStats', { id }, { every: 60 });
  const figures = stats.data?.webhookStats;
  return (
    <li class="card">
      <header>
        <h3 class="address">
          <PageLink page={`webhooks/${id}`}>{url}</PageLink>
        </h3>
        <Health webhook={webhook} />
      </header>
      <p class="soft">
        {description === null ? '' : `${description} · `}
        {events.map(eventName).join(', ')}
      </p>
      <States asked={stats} what={`the deliveries to ${url}`} isLoaded={figures !== undefined}>
        {figures !== undefined && (
          <dl class="facts">
            <Figure label="Delivered" value={count(figures.delivered)} />
            <Figure label="Pending" value={count(figures.pending)} />
            <Figure label="Failed, tried again" value={count(figures.failed)} />
            <Figure label="Dead letters" value={count(figures.dlq)} />
            <Figure label="Answer time, median" value={ms(figures.p50Ms)} />
            <Figure label="Answer time, 95th percentile" value={ms(figures.p95Ms)} />
          </dl>
        )}
      </States>
    </li>
  );
}

/** The page. */
export function Webhooks() {
  // After a replay the endpoints ask for their figures again.
  const [turn, setTurn] = useState(0);
  const list = useList('Webhooks', {}, ({ webhooks }) => webhooks, { every: 30 });
  return (
    <>
      <Panel title="Endpoints">
        <States asked={list} what="webhooks" isLoaded={list.nodes !== undefined}>
          {list.nodes?.length === 0 ? (
            <Empty title="No endpoint is subscribed yet.">
              Subscribe one by <a href="/docs#/webhooks/createWebhook">POST /v1/webhooks</a>.
            </Empty>
          ) : (
            <>
              <ul class="grid" aria-busy={list.isLoading}>
                {list.nodes?.map((webhook) => (
                  <Endpoint key={`${webhook.id} ${turn}`} webhook={webhook} />
                ))}
              </ul>
              <More shown={list.nodes?.length ?? 0} {...list} />
            </>
          )}
        </States>
      </Panel>
      <DeadLetters webhooks={list.nodes ?? []} onReplayed={() => setTurn((before) => before + 1)} />
    </>
  );
}
