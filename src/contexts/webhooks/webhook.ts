// Subscriptions: which events are sent where, and under which secret (CONTRACT.md 16).

import { catalogOf } from '../../events/catalog.js';
import type { Prisma, Webhook, WebhookStatus } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, type StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import { egressProblem, isAllowedHost, isPrivateHost, portOf } from '../../platform/outbound/guard.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { commandLine } from '../../platform/program.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { InvalidWebhookUrl, MadeByProtocol, TooManyWebhooks } from './errors.js';
import type { CreateWebhookInput, RotateSecretInput, UpdateWebhookInput } from './webhook.input.js';

/** Paused by its owner, disabled by the platform. Its owner makes a disabled one active again. */
export const webhookLifecycle: Lifecycle<WebhookStatus> = {
  noun: 'subscription',
  path: '/v1/webhooks/{id}',
  steps: { active: ['paused', 'disabled'], paused: ['active'], disabled: ['active', 'paused'] },
  requests: [
    { to: 'active', rel: 'activate', actor: 'api_key', method: 'PATCH', body: { status: 'active' } },
    { to: 'paused', rel: 'pause', actor: 'api_key', method: 'PATCH', body: { status: 'paused' } },
  ],
};

/** The 409 for sending to a subscription that is not active. */
export function inactiveWebhook({ id, status }: Pick<Webhook, 'id' | 'status'>): StateConflict {
  const message =
    `The subscription is ${status}: nothing is sent to it. Once its endpoint answers, make it active again with ` +
    `PATCH /v1/webhooks/${printId('webhook', id)} {"status": "active"}, then replay.`;
  return wrongStatus(webhookLifecycle, printId('webhook', id), status, ['active'], message);
}

/** Subscriptions of a workspace, deleted ones not counted. */
export const mostWebhooks = 16;
const defaultOverlapSeconds = 86_400;

/** A subscription with its secret, which only the answer that made it carries. */
export interface IssuedWebhook extends Webhook {
  secret: string;
}

/** Subscribes. 422 `invalid_webhook_url`, 400 for an unknown event type, 409 `state_conflict` for the seventeenth. */
export async function createWebhook(ctx: Ctx, input: CreateWebhookInput): Promise<IssuedWebhook> {
  catalogOf(ctx).checkPatterns(input.events, (index) => ['events', index]);
  await checkUrl(ctx, input.url);
  const made = await transact(ctx, async (tx) => {
    // The workspace's row is the lock: two creations cannot both be the sixteenth.
    await tx.workspace.update({ where: { id: ctx.workspace.id }, data: { id: ctx.workspace.id }, select: { id: true } });
    const count = await tx.webhook.count({ where: { deletedAt: null, sender: null } });
    if (count >= mostWebhooks) throw new TooManyWebhooks(mostWebhooks, count);
    const at = ctx.clock.now();
    const id = newId(at);
    const secret = newToken('whsec_');
    const webhook = await tx.webhook.create({
      data: {
        id,
        url: input.url,
        events: [...new Set(input.events)],
        description: input.description ?? null,
        sealedSecret: ctx.platform.vault.seal(secret, id),
        ...unproven(ctx, input.url),
        createdAt: at,
        updatedAt: at,
      },
    });
    return { ...webhook, secret };
  });
  if (made.dueAt !== null) ringAt(ctx, 'webhook', made.dueAt);
  return made;
}

/** The first challenge follows the answer to whoever made the subscription by so much, so that a receiver may know its secret by then. */
const firstAskSeconds = 1;

/** What a subscription is before its endpoint has proved itself; a host that the operator has opened has not to. */
function unproven(ctx: Ctx, url: string) {
  const isOpen = isOpenHost(ctx, url);
  return {
    verifiedAt: isOpen ? ctx.platform.clock.now() : null,
    verifiedUntil: null,
    asked: 0,
    dueAt: isOpen ? null : addSeconds(ctx.clock.now(), firstAskSeconds),
  };
}

/** Whether the endpoint has proved itself, or counts as if it had. */
export function isVerified({ platform }: Ctx, { verifiedAt, verifiedUntil }: Pick<Webhook, 'verifiedAt' | 'verifiedUntil'>): boolean {
  return verifiedAt !== null || (verifiedUntil !== null && verifiedUntil > platform.clock.now());
}

/**
 * Changes a subscription. Made active again it begins with a clean count of failures; at another URL the endpoint has to prove itself.
 * Errors as at creation; 409 for the address and the events of one that a protocol has made.
 */
export async function updateWebhook(ctx: Ctx, input: UpdateWebhookInput & { id: string }): Promise<Webhook> {
  if (input.events != null) catalogOf(ctx).checkPatterns(input.events, (index) => ['events', index]);
  if (input.url != null) await checkUrl(ctx, input.url);
  const changed = await transact(ctx, async (tx) => {
    const before = await lockWebhook(tx, input.id);
    if (before.sender !== null && (input.url != null || input.events != null)) throw new MadeByProtocol(before.status);
    const data: Prisma.WebhookUpdateInput = {
      ...(input.url != null && { url: input.url }),
      ...(input.events != null && { events: [...new Set(input.events)] }),
      ...(input.description !== undefined && { description: input.description }),
    };
    if (input.status != null && input.status !== before.status) {
      checkStep(webhookLifecycle, printId('webhook', before.id), before.status, input.status);
      Object.assign(data, { status: input.status, disabledAt: null, disabledReason: null, dlqInARow: 0, failingSince: null });
      // What waits of a subscription that stops is let go, and one that goes on is asked again.
      Object.assign(data, { dueAt: ctx.clock.now(), asked: 0 });
    }
    if (input.url != null && input.url !== before.url) {
      const proof = unproven(ctx, input.url);
      Object.assign(data, proof, { dueAt: proof.dueAt ?? ctx.clock.now() });
    }
    return tx.webhook.update({ where: rowKey(ctx, before.id), data: { ...data, updatedAt: ctx.clock.now() } });
  });
  if (changed.dueAt !== null) ringAt(ctx, 'webhook', changed.dueAt);
  return changed;
}

/** Ends a subscription. Its deliveries stay readable; those still to be sent go to the dead-letter queue when they are due. */
export function deleteWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  return transact(ctx, async (tx) => {
    await lockWebhook(tx, id);
    const at = ctx.clock.now();
    return tx.webhook.update({ where: rowKey(ctx, id), data: { deletedAt: at, dueAt: at, updatedAt: at } });
  });
}

/** A new secret. With `overlap` (the default, 24 h) deliveries carry a signature of each until the old one ends, in real time. */
export function rotateSecret(ctx: Ctx, { id, strategy, overlapSeconds }: RotateSecretInput & { id: string }): Promise<IssuedWebhook> {
  if (strategy === 'immediate' && overlapSeconds != null) {
    throw new ValidationFailed([{ path: ['overlapSeconds'], message: 'is for strategy overlap only', rule: 'strategy' }]);
  }
  return transact(ctx, async (tx) => {
    const before = await lockWebhook(tx, id);
    const secret = newToken('whsec_');
    const overlaps = strategy !== 'immediate' && isReadable(ctx, before);
    const webhook = await tx.webhook.update({
      where: rowKey(ctx, id),
      data: {
        sealedSecret: ctx.platform.vault.seal(secret, id),
        previousSealedSecret: overlaps ? Buffer.from(before.sealedSecret) : null,
        // Real time, as the receiver's clock and the signature's `t`.
        previousSecretExpiresAt: overlaps ? addSeconds(ctx.platform.clock.now(), overlapSeconds ?? defaultOverlapSeconds) : null,
        updatedAt: ctx.clock.now(),
      },
    });
    return { ...webhook, secret };
  });
}

/** False for a secret that was sealed under another SECRETS_KEY: it signs nothing, so nothing can overlap with it. */
function isReadable({ platform }: Ctx, { id, sealedSecret }: Webhook): boolean {
  try {
    platform.vault.open(sealedSecret, id);
    return true;
  } catch {
    return false;
  }
}

type Sealed = Pick<Webhook, 'id' | 'sealedSecret' | 'previousSealedSecret' | 'previousSecretExpiresAt'>;

/** Gives the secrets that a delivery of now is signed with, the newest first. Each is unsealed once, when it is first needed. */
export function secretsOf(ctx: Ctx, { id, sealedSecret, previousSealedSecret, previousSecretExpiresAt }: Sealed): () => string[] {
  const { vault, clock } = ctx.platform;
  let current: string | undefined;
  let previous: string | undefined;
  return () => {
    current ??= vault.open(sealedSecret, id);
    if (previousSealedSecret === null || previousSecretExpiresAt === null || previousSecretExpiresAt <= clock.now()) return [current];
    previous ??= vault.open(previousSealedSecret, id);
    return [current, previous];
  };
}

/** When the old secret ends; null when there is none that still signs. */
export function previousSecretEnd(ctx: Ctx, { previousSecretExpiresAt: end }: Webhook): Date | null {
  return end !== null && end > ctx.platform.clock.now() ? end : null;
}

/** The subscription, or 404. `query` is the caller's selection. */
export async function webhook(ctx: Ctx, id: string, query: object = {}): Promise<Webhook> {
  const found = await ctx.db.webhook.findFirst({ ...query, where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Subscriptions, newest first. */
export const webhooks = listOf('webhook', { where: { deletedAt: null } });

/** The subscription under its row's lock, or 404. */
export function lockWebhook(tx: Tx, id: string): Promise<Webhook> {
  return lockRow(tx.webhook, id, { where: { deletedAt: null } });
}

// Gap G-81: WEBHOOK_ALLOW_HOSTS counts in the sandbox only.
/** Whether endpoints may be on the allowed private hosts. */
export function mayBePrivate({ workspace }: Ctx): boolean {
  return workspace.environment === 'test';
}

const openHosts = (ctx: Ctx) => (mayBePrivate(ctx) ? ctx.platform.config.webhookAllowHosts : []);

/** True for a host that the operator has opened: it is his, and has not to prove itself. */
export function isOpenHost(ctx: Ctx, url: string): boolean {
  return isAllowedHost(new URL(url), openHosts(ctx));
}

/** 422 `invalid_webhook_url` unless events may be sent there. Asked again at every send. */
export async function checkUrl(ctx: Ctx, url: string): Promise<void> {
  const allowHosts = openHosts(ctx);
  const problem = egressProblem(url, allowHosts);
  if (problem !== undefined) throw new InvalidWebhookUrl(problem, privateHelp(ctx, url));
  const parsed = new URL(url);
  if (!isAllowedHost(parsed, allowHosts) && (await ctx.platform.outbound.leadsToPrivate(parsed.hostname, ctx.workspace.id)))
    throw new InvalidWebhookUrl('must not lead to a private, local or reserved address', helpFor(parsed));
}

/** What reaches a receiver on the machine of a developer; nothing for other URLs, and nothing in production. */
function privateHelp(ctx: Ctx, url: string): string {
  return mayBePrivate(ctx) && URL.canParse(url) && isPrivateHost(new URL(url)) ? helpFor(new URL(url)) : '';
}

function helpFor(url: URL): string {
  const place = `${url.hostname}:${portOf(url)}`;
  return (
    ` In the sandbox it is reached where the server is started with WEBHOOK_ALLOW_HOSTS=${place}; without that, ` +
    `\`${commandLine(`listen --forward-to ${url.origin}${url.pathname}`)}\` forwards events there.`
  );
}
