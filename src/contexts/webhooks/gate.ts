// Gates stand before hosts that somebody may not want to be sent to (decision 0046). All workspaces together share that of a host whose
// endpoints have not proved themselves; past its own gate a workspace sends to those that have. What finds no place waits for its turn.
import type { Webhook } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import type { RealTimeWork } from '../../platform/due/real-time.js';
import type { DueDelivery } from './due-delivery.js';
import { acquirePlaces, assignTurns, consumeTurn, type Gate, waitAt } from './gate.sql.js';
import { isOpenHost, isVerified } from './webhook.js';

/** Events to endpoints that have not proved themselves: one a second, and so many a day, to a host. */
const pendingGate = { intervalUs: 1_000_000, burst: 1, daily: 1_000 };
/** Gap G-408: Challenges: 16 at once, then four a minute and 200 a day of a workspace, one a second of all; apart from events. */
const challengingGate = { intervalUs: 15_000_000, burst: 16, daily: 200 };
const challengedGate = { intervalUs: 1_000_000, burst: 60, daily: null };

// Gap G-760: Each cell counts for itself what is sent to a host: of n cells it may get n times WEBHOOK_HOST_RATE.
// Gap G-407: A host is the name in the URL without port and final dot; production and sandbox count together.
/** The name of the host, in one spelling, without the port. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '');
}

/** Where a delivery would be sent, by the subscription as it is now. */
interface Way {
  webhook: Pick<Webhook, 'url' | 'verifiedAt' | 'verifiedUntil'>;
  overrideUrl: string | null;
}

// Gap G-412: A replay to another URL is bounded like a pending endpoint.
/** The gate that a delivery has to pass; undefined where nothing bounds it. Nobody has verified another URL. */
export function gateOf(ctx: Ctx, { webhook, overrideUrl }: Way): Gate | undefined {
  const rate = ctx.platform.config.webhookHostRate[ctx.workspace.environment];
  const isProven = overrideUrl === null ? isVerified(ctx, webhook) : isOpenHost(ctx, overrideUrl);
  if (isProven && rate === null) return undefined;
  const host = hostOf(overrideUrl ?? webhook.url);
  if (!isProven || rate === null) return { name: `host:${host}`, ...pendingGate };
  return { name: `${ctx.workspace.id}:${host}`, intervalUs: Math.ceil(1_000_000 / rate), burst: rate, daily: null };
}

/** True when a delivery may be sent now: it has its turn, or there was a free place. Those that ask together are answered together. */
export async function passes(ctx: Ctx, gate: Gate, { id, waitsFor }: Pick<DueDelivery, 'id' | 'waitsFor'>): Promise<boolean> {
  if (waitsFor === gate.name && (await consumeTurn(ctx, gate, id))) return true;
  const passed = await loadTogether(ctx, `gate ${gate.name}`, id, async (ids) => {
    const places = await acquirePlaces(ctx, gate, ids.length);
    return new Map(ids.slice(0, places).map((one) => [one, true]));
  });
  return passed === true;
}

/** Lets deliveries wait, each at its gate. */
export async function holdBack(ctx: Ctx, held: readonly { gate: Gate; delivery: { id: string } }[]): Promise<void> {
  const gates = new Map(held.map(({ gate }) => [gate.name, gate]));
  for (const gate of gates.values()) {
    const ids = held.filter((one) => one.gate.name === gate.name).map(({ delivery }) => delivery.id);
    await waitAt(ctx, gate, ids);
  }
  ctx.platform.due.ring(turns.name);
}

/** True when a challenge may be sent: it is limited for a host, and for a workspace at a host. */
export async function mayChallenge(ctx: Ctx, url: string): Promise<boolean> {
  const host = hostOf(url);
  const places = [
    { name: `ask:${ctx.workspace.id}:${host}`, ...challengingGate },
    { name: `ask:${host}`, ...challengedGate },
  ];
  for (const gate of places) if ((await acquirePlaces(ctx, gate, 1)) === 0) return false;
  return true;
}

/** Lets deliveries that wait at gates go, in turn. */
export const turns: RealTimeWork = {
  name: 'webhook_gate',
  async run(platform: Platform) {
    const { given, nextMs } = await assignTurns(platform);
    if (given > 0) platform.due.ring('webhook_delivery');
    return nextMs;
  },
};
