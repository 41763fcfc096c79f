// One webhook: how its deliveries went by hour, each attempt with what was sent and answered, and the buttons that stop and start it.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask, asRefusal } from '../api.js';
import { Bars } from '../bars.js';
import { Detail } from '../detail.js';
import { Dialog } from '../dialog.js';
import { eventName, isWrittenElsewhere } from '../event-name.js';
import { Facts, Id, Json, when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { count, moment, percent, words } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Empty, Panel, States } from '../panel.js';
import { changed, useQuery } from '../query.js';
import { Status } from '../status.js';
import { Table } from '../table.js';
import { Health } from './webhooks.js';

type WebhookAnswer = Answers['Webhook'];
type Delivery = Answers['Deliveries']['deliveries']['nodes'][number];

const filters: readonly FilterSpec[] = [
  {
    name: 'status',
    label: 'State',
    values: { pending: 'Pending', processing: 'Processing', delivered: 'Delivered', failed: 'Failed', dlq: 'Dead letter' },
  },
];

function SwitchButton({ webhook: { id, url, status } }: { webhook: WebhookAnswer['webhook'] }) {
  const [isAsked, setAsked] = useState(false);
  if (!useMay()('webhooks:write')) return null;
  const isActive = status === 'active';
  const action = isActive ? 'Disable' : 'Enable';
  return (
    <>
      <button type="button" class={isActive ? 'danger' : 'primary'} onClick={() => setAsked(true)}>
        {action}
      </button>
      {isAsked && (
        <Dialog
          title={`${action} ${url}?`}
          action={`${action} the webhook`}
          isDangerous={isActive}
          needsKey
          onConfirm={async ({ idempotencyKey, apiKey }) => {
            await ask('SetWebhookStatus', { id, input: { status: isActive ? 'paused' : 'active' } }, { idempotencyKey, apiKey });
            say(isActive ? 'Nothing more is sent there.' : 'Events are sent there again.');
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            {isActive ? 'Events that happen while it is disabled are not sent there.' : 'Events that happen from now on are sent there.'}
          </p>
        </Dialog>
      )}
    </>
  );
}

function Hours({ hours }: { hours: WebhookAnswer['webhookHours'] }) {
  const most = Math.max(...hours.map(({ delivered, undelivered }) => delivered + undelivered));
  const total = hours.reduce((sum, { delivered, undelivered }) => sum + delivered + undelivered, 0);
  if (total === 0) return <Empty title="Nothing was sent in 24 hours.">The rate of success appears here when events are sent.</Empty>;
  const arrived = hours.reduce((sum, { delivered }) => sum + delivered, 0);
  return (
    <Bars
      title="Deliveries by hour, with the part that failed"
      readout={[percent(arrived / total), `of ${count(total)} delivered in 24 hours`]}
      headings={['Hour', 'Delivered', 'Not delivered', 'Success']}
      rows={hours.map(({ hour, delivered, undelivered }) => {
        const all = delivered + undelivered;
        return {
          key: hour,
          label: moment(hour),
          height: all / most,
          bad: all === 0 ? 0 : undelivered / all,
          cells: [count(delivered), count(undelivered), all === 0 ? '–' : percent(delivered / all)],
        };
      })}
    />
  );
}

function Request({ eventId, url }: { eventId: string; url: string }) {
  const asked = useQuery('Event', { id: eventId });
  return (
    <States asked={asked} what="the request" isLoaded={asked.data !== undefined}>
      <p>
        POST <span class="address">{url}</span>
      </p>
      {asked.data !== undefined && <Json value={asked.data.event} />}
    </States>
  );
}

/** What is sent of an order: it is written for each send, and no event that could be read. */
function OrderRequest({ url }: { url: string }) {
  return (
    <>
      <p>
        POST <span class="address">{url}</span>
      </p>
      <p class="soft">The whole order as it was then, signed by a key of the merchant’s profile.</p>
    </>
  );
}

function Attempts({ of: { id, eventType }, url }: { of: Delivery; url: string }) {
  const asked = useQuery('Delivery', { id }, { every: 15 });
  const delivery = asked.data?.delivery;
  return (
    <States asked={asked} what="the attempts" isLoaded={delivery !== undefined}>
      {delivery !== undefined && (
        <div class="halves">
          <section aria-label="Request">
            <h3>Request</h3>
            {isWrittenElsewhere(eventType) ? <OrderRequest url={url} /> : <Request eventId={delivery.eventId} url={url} />}
          </section>
          <section aria-label="Attempts and the last answer">
            <h3>Attempts</h3>
            {delivery.attempts.length === 0 ? (
              <p class="soft">It was not sent yet.</p>
            ) : (
              <Table
                caption="Attempts"
                rows={delivery.attempts}
                keyOf={({ deliveryId }) => deliveryId}
                columns={[
                  { label: 'At', render: ({ startedAt }) => moment(startedAt) },
                  { label: 'Answer', render: ({ responseCode }) => (responseCode === null ? 'None' : String(responseCode)) },
                  { label: 'Error', render: ({ error }) => (error === null ? '–' : words(error)) },
                  { label: 'Took', isFigure: true, render: ({ durationMs }) => `${count(durationMs)} ms` },
                ]}
              />
            )}
            <h3>Last answer{delivery.lastResponseCode === null ? '' : `: ${delivery.lastResponseCode}`}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
            <pre class="json" tabIndex={0}>
              {delivery.lastResponseBody === null || delivery.lastResponseBody === '' ? 'Without a body' : delivery.lastResponseBody}
            </pre>
          </section>
        </div>
      )}
    </States>
  );
}

function useResend() {
  const [busy, setBusy] = useState<string>();
  const resend = async ({ id, eventType }: Delivery) => {
    if (busy !== undefined) return;
    setBusy(id);
    try {
      await ask('ReplayDelivery', { id }, { idempotencyKey: `replay-${id}` });
      say(`${eventName(eventType)} is queued again.`);
      changed();
    } catch (error) {
      say(`It was not sent again. ${asRefusal(error).message}`);
    } finally {
      setBusy(undefined);
    }
  };
  return { busy, resend };
}

function Deliveries({ webhook }: { webhook: WebhookAnswer['webhook'] }) {
  const [opened, open] = useState<string>();
  const { busy, resend } = useResend();
  const isAllowed = useMay()('webhooks:write');
  const columns = [
    { label: 'Event', render: ({ eventType }: Delivery) => eventName(eventType) },
    {
      label: 'State',
      render: ({ status, lastError }: Delivery) => (
        <>
          <Status is={status} />
          {lastError !== null && status !== 'delivered' && <span class="soft block">{words(lastError)}</span>}
        </>
      ),
    },
    { label: 'Answer', render: ({ lastResponseCode }: Delivery) => lastResponseCode ?? '–' },
    { label: 'Attempts', isFigure: true, render: ({ attemptCount, maxAttempts }: Delivery) => `${attemptCount} of ${maxAttempts}` },
    { label: 'Queued', render: ({ createdAt }: Delivery) => moment(createdAt) },
    { label: 'Next attempt', render: ({ nextRetryAt }: Delivery) => when(nextRetryAt) ?? '–' },
    {
      label: 'Actions',
      isSilent: true,
      render: (delivery: Delivery) => (
        <span class="buttons">
          <button
            type="button"
            aria-expanded={opened === delivery.id}
            onClick={() => open(opened === delivery.id ? undefined : delivery.id)}
          >
            Attempts<span class="hidden"> of {eventName(delivery.eventType)}</span>
          </button>
          {isAllowed && (
            <button type="button" aria-disabled={busy !== undefined} onClick={() => resend(delivery)}>
              {busy === delivery.id ? 'Working …' : 'Send again'}
              <span class="hidden"> {eventName(delivery.eventType)}</span>
            </button>
          )}
        </span>
      ),
    },
  ];
  return (
    <ListPanel
      title="Deliveries"
      what="deliveries"
      query="Deliveries"
      variables={(chosen) => ({ ...chosen, webhookId: webhook.id })}
      pageOf={({ deliveries }) => deliveries}
      filters={filters}
      columns={columns}
      below={(delivery) => (delivery.id === opened ? <Attempts of={delivery} url={webhook.url} /> : null)}
      empty={{ title: 'Nothing was sent there yet.', children: 'Each event that it subscribes to appears here.' }}
    />
  );
}

const ms = (value: number | null) => (value === null ? '–' : `${count(value)} ms`);

/** The page. */
export function Webhook({ id }: { id: string }) {
  return (
    <Detail
      what="the webhook"
      back={{ page: 'webhooks', title: 'webhooks' }}
      query="Webhook"
      variables={{ id }}
      nameOf={({ webhook }) => webhook.url}
    >
      {({ webhook, webhookStats: figures, webhookHours }) => (
        <>
          <div class="halves">
            <Panel title={webhook.url} tools={<Health webhook={webhook} />}>
              {webhook.description !== null && <p>{webhook.description}</p>}
              <Facts
                facts={[
                  ['Events', webhook.events.map(eventName).join(', ')],
                  ['Delivered', count(figures.delivered)],
                  ['Pending', count(figures.pending)],
                  ['Failed, tried again', count(figures.failed)],
                  ['Dead letters', count(figures.dlq)],
                  ['Answer time, median', ms(figures.p50Ms)],
                  ['Answer time, 95th percentile', ms(figures.p95Ms)],
                  ['Verification', words(webhook.verification)],
                  ['Created', when(webhook.createdAt)],
                  ['Id', <Id key="id" value={webhook.id} />],
                ]}
              />
              <div class="buttons">
                <SwitchButton webhook={webhook} />
              </div>
            </Panel>
            <Panel title="Success by hour">
              <Hours hours={webhookHours} />
            </Panel>
          </div>
          <Deliveries webhook={webhook} />
        </>
      )}
    </Detail>
  );
}
