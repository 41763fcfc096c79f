// One reader of an agent's channel: its position, what it has not shown, and what happens when a number is missing. It subscribes
// before it reads what was missed, and shows once what reaches it twice.
import type { Platform } from '../../platform/ctx.js';
import type { Reader } from '../../platform/fanout.js';
import { Mailbox, type Message, newRetryMs } from '../../platform/mailbox.js';
import { printId } from '../../platform/schema/id.js';
import { type AgentEvent, printSeq, type Replay } from './agent-event.sql.js';
import { type ChannelFrame, type ChannelFrameData, frameText, replay } from './channel-event.js';
import { type ChannelConnection, connectionsOf, type OpenStream } from './connection.js';

/** Where a reader wants to go on: after a number, or with what comes (`lastSeq`). */
export type ChannelPosition = { after: number } | { lastSeq: number };

export class ChannelReader implements OpenStream, Reader {
  readonly connection: ChannelConnection;
  readonly mailbox: Mailbox;
  readonly #platform: Platform;
  readonly #unsubscribe: () => void;
  #position = 0;
  /** The greatest number that is known to be written. */
  #newest = 0;
  #reading: Promise<void> | undefined;
  #begun = false;

  constructor(platform: Platform, connection: ChannelConnection) {
    this.#platform = platform;
    this.connection = connection;
    this.mailbox = new Mailbox(() => {
      this.#unsubscribe();
      connectionsOf(platform).remove(this);
    });
    this.#unsubscribe = platform.fanout.subscribe(connection.agentId, this);
  }

  /** Sends `connected`, shows what was missed, and goes on with what comes. */
  async begin(from: ChannelPosition): Promise<void> {
    const resumed = 'after' in from;
    const missed = resumed ? await this.#read(from.after) : undefined;
    // A number that the channel has not reached is no position: the reader goes on from its end.
    this.#position = resumed ? Math.min(from.after, missed?.lastSeq ?? 0) : from.lastSeq;
    // Gap G-85: `connected` carries the position of the channel unless it resumes, so that a reader that is cut off knows where to go on.
    // Without a position of its own a reader that is cut off before the first event would not know what it missed.
    const id = resumed ? undefined : printSeq(this.#position);
    const { sessionId, expiresAt } = this.connection;
    const session_expires_at = sessionId === null ? null : expiresAt.toISOString();
    this.#send('connected', { session_expires_at, resumed, replayed: missed?.events.length ?? 0 }, id);
    if (missed !== undefined) this.#show(missed);
    this.#begun = true;
    if (this.#newest > this.#position) this.behind();
  }

  item({ seq, type, data }: AgentEvent): void {
    if (this.#begun && this.#reading === undefined && seq === this.#position + 1) {
      this.#position = seq;
      this.mailbox.push({ id: printSeq(seq), event: type, data });
    } else if (seq > this.#position) this.behind(seq);
  }

  behind(seq?: number): void {
    if (seq !== undefined) {
      if (seq <= this.#position) return;
      this.#newest = Math.max(this.#newest, seq);
    }
    if (!this.#begun || this.mailbox.closed) {
      if (seq === undefined) this.#newest = Math.max(this.#newest, this.#position + 1);
      return;
    }
    this.#reading ??= this.#catchUp();
  }

  beat(at: Date): void {
    this.#send('heartbeat', {}, undefined, at);
  }

  /** Ends the stream with `reconnect`: the reader comes back, perhaps to another process. */
  leave(reason: ChannelFrameData<'reconnect'>['reason']): void {
    this.#send('reconnect', { reason }, undefined, undefined, newRetryMs());
    this.end();
  }

  end(): void {
    this.mailbox.end();
  }

  /** Ends the stream after everything that has been written. */
  async finish(): Promise<void> {
    await this.#reading;
    if (this.#begun && !this.mailbox.closed) {
      this.#reading = this.#catchUp();
      await this.#reading;
    }
    this.end();
  }

  #read(after: number): Promise<Replay> {
    return replay(this.#platform, this.connection, after);
  }

  /** Reads from PostgreSQL until everything that was announced is shown. Connections.#ask() tries again when this fails. */
  async #catchUp(): Promise<void> {
    try {
      do this.#show(await this.#read(this.#position));
      while (this.#newest > this.#position && !this.mailbox.closed);
    } catch (error) {
      this.#platform.log.warn({ err: error, agentId: this.connection.agentId }, 'a channel could not be read');
    } finally {
      this.#reading = undefined;
    }
  }

  /** Shows events, and a gap before them when some are missing that can no longer be read. */
  #show({ lastSeq, events }: Replay): void {
    const oldest = events[0];
    const missedTo = (oldest?.seq ?? lastSeq + 1) - 1;
    if (missedTo > this.#position) this.#showGap(missedTo, oldest);
    for (const { seq, type, data } of events) {
      // Announced while this was being read.
      if (seq <= this.#position) continue;
      this.#position = seq;
      this.mailbox.push({ id: printSeq(seq), event: type, data });
    }
    // What was announced and is not there cannot be read any more.
    this.#newest = Math.min(this.#newest, Math.max(lastSeq, this.#position));
  }

  /** Its number is that of the last event that is missing, so that a reader that resumes does not get it again. */
  #showGap(missedTo: number, oldest: AgentEvent | undefined): void {
    const agent = printId('agent', this.connection.agentId);
    const before = oldest === undefined ? '' : `&starting_after=${printId('event', oldest.eventId)}`;
    const data = {
      last_seen_id: printSeq(this.#position),
      oldest_available_id: oldest === undefined ? null : printSeq(oldest.seq),
      backfill: `/v1/events?agent_id=${agent}${before}`,
    };
    this.#position = missedTo;
    this.#send('gap', data, printSeq(missedTo));
  }

  #send<T extends ChannelFrame>(
    event: T,
    data: ChannelFrameData<T>,
    id?: string | undefined,
    at = this.#platform.clock.now(),
    retryMs?: number,
  ): void {
    const message: Message = { event, data: frameText(event, this.connection.agentId, at, data) };
    if (id !== undefined) message.id = id;
    if (retryMs !== undefined) message.retryMs = retryMs;
    this.mailbox.push(message);
  }
}
