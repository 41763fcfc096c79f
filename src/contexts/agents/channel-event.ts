// What the channel of an agent shows of what happens on the platform (CONTRACT.md 5 "SSE channel"): a typed table of its
// events, and the outbox listener that turns what was committed into numbered lines.
import { z } from 'zod';
import type { Platform } from '../../platform/ctx.js';
import { newId, printId } from '../../platform/ids.js';
import { appendLines, deleteOldLines, type NewLine } from '../../platform/line.js';
import type { Batch, EventListener } from '../../platform/outbox.js';

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f-]{36}$`));
const time = z.iso.datetime();

/** What each event of the channel says besides `id`, `type`, `time` and `agent_id`. A context that tells agents something adds a row. */
export const channelEvents = {
  connected: z.object({ session_expires_at: time.nullable(), resumed: z.boolean(), replayed: z.int() }),
  transfer_completed: z.object({
    transfer_id: id('tx'),
    amount: z.string(),
    currency: z.string(),
    direction: z.enum(['inbound', 'outbound']),
    counterparty_account_id: id('acc').nullable(),
    protocol: z.string(),
  }),
  key_rotated: z.object({ key_id: id('auth'), new_public_key: z.string().nullable(), revoke_at: time }),
  heartbeat: z.object({}),
  gap: z.object({ last_seen_id: z.string(), oldest_available_id: z.string().nullable(), backfill: z.string() }),
  reconnect: z.object({ reason: z.enum(['shutdown', 'session_expires']) }),
} as const;
export type ChannelEventType = keyof typeof channelEvents;
export type ChannelEventData<T extends ChannelEventType> = z.infer<(typeof channelEvents)[T]>;

interface About {
  agentId: string;
  eventId: string;
  at: Date;
}

/** The JSON text of an event's data. */
export function channelData<T extends ChannelEventType>(type: T, { agentId, eventId, at }: About, data: ChannelEventData<T>): string {
  return JSON.stringify({ id: printId('event', eventId), type, time: at, agent_id: printId('agent', agentId), ...data });
}

/** A line that comes from no event of the outbox. */
export function ownLine<T extends ChannelEventType>(
  workspaceId: string,
  type: T,
  { agentId, at }: Omit<About, 'eventId'>,
  data: ChannelEventData<T>,
): NewLine {
  const eventId = newId(at);
  return { workspaceId, agentId, eventId, type, data: channelData(type, { agentId, eventId, at }, data), createdAt: at };
}

/** The agents that pay and are paid. An agent on both sides is told once, as the payer (Gap G-73). */
function transferLines({ workspaceId, id: eventId, createdAt: at, data, sides }: Batch['shown'][number]): NewLine[] {
  const line = (agentId: string, direction: 'inbound' | 'outbound'): NewLine => ({
    workspaceId,
    agentId,
    eventId,
    type: 'transfer_completed',
    createdAt: at,
    data: channelData(
      'transfer_completed',
      { agentId, eventId, at },
      {
        transfer_id: data['transfer_id'] as string,
        amount: data['amount'] as string,
        currency: data['currency'] as string,
        direction,
        counterparty_account_id: (direction === 'outbound' ? data['to_account_id'] : data['from_account_id']) as string | null,
        protocol: data['protocol'] as string,
      },
    ),
  });
  const payees = sides.to.filter((agentId) => !sides.from.includes(agentId));
  return [...sides.from.map((agentId) => line(agentId, 'outbound')), ...payees.map((agentId) => line(agentId, 'inbound'))];
}

/** Turns a batch of the outbox into lines, in the order in which things happened. */
export const listenForChannels: EventListener = async (platform, tx, { shown }) => {
  const lines = shown.filter(({ type }) => type === 'transfer.completed').flatMap(transferLines);
  if (lines.length === 0) return undefined;
  return platform.fanout.announce(tx, await appendLines(tx, lines));
};

/** Deletes lines that nobody can read again. For the worker. */
export function sweepLines({ database, clock }: Platform): Promise<number> {
  return deleteOldLines(database.pool, clock.now());
}
