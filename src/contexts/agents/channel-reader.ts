// One reader of an agent's channel: where it stands, what it has not seen, and what happens when there is a hole. It begins
// to listen before it reads what was missed, and whatever it is told twice it shows once.
import type { Platform } from '../../platform/ctx.js';
import type { Reader } from '../../platform/fanout.js';
import { newId, printId } from '../../platform/ids.js';
import { type Line, printSeq, type Replay, readLines } from '../../platform/line.js';
import { Mailbox, type Message, newRetryMs } from '../../platform/mailbox.js';
import { type ChannelEventData, type ChannelEventType, channelData } from './channel-event.js';
import { type Connection, connectionsOf } from './connection.js';

/** Where a reader wants to go on: after a number, or with what comes (`lastSeq`). */
export type Position = { after: number } | { lastSeq: number };

export class ChannelReader implements Reader {
  readonly connection: Connection;
  readonly mailbox: Mailbox;
  readonly #platform: Platform;
  readonly #unsubscribe: () => void;
  #position = 0;
  /** The greatest number that is known to be written. */
  #told = 0;
  #reading: Promise<void> | undefined;
  #begun = false;

  constructor(platform: Platform, connection: Connection) {
    this.#platform = platform;
    this.connection = connection;
    this.mailbox = new Mailbox(() => {
      this.#unsubscribe();
      connectionsOf(platform).remove(this);
    });
    this.#unsubscribe = platform.fanout.subscribe(connection.agentId, this);
  }

  /** Says `connected`, shows what was missed, and goes on with what comes. */
  async begin(from: Position): Promise<void> {
    const resumed = 'after' in from;
    const replay = resumed ? await this.#read(from.after) : undefined;
    // A number that was never given out is no position: the channel goes on from its end.
    this.#position = resumed ? Math.min(from.after, replay?.lastSeq ?? 0) : from.lastSeq;
    // Without a position of its own a reader that is cut off before the first line would not know what it missed (Gap G-74).
    const id = resumed ? undefined : printSeq(this.#position);
    const { sessionId, expiresAt } = this.connection;
    const session_expires_at = sessionId === null ? null : expiresAt.toISOString();
    this.#say('connected', { session_expires_at, resumed, replayed: replay?.lines.length ?? 0 }, id);
    if (replay !== undefined) this.#show(replay);
    this.#begun = true;
    if (this.#told > this.#position) this.behind();
  }

  line({ seq, type, data }: Line): void {
    if (this.#begun && this.#reading === undefined && seq === this.#position + 1) {
      this.#position = seq;
      this.mailbox.push({ id: printSeq(seq), event: type, data });
    } else if (seq > this.#position) this.behind(seq);
  }

  behind(seq?: number): void {
    if (seq !== undefined) {
      if (seq <= this.#position) return;
      this.#told = Math.max(this.#told, seq);
    }
    if (!this.#begun || this.mailbox.closed) {
      if (seq === undefined) this.#told = Math.max(this.#told, this.#position + 1);
      return;
    }
    this.#reading ??= this.#catchUp();
  }

  beat(at: Date): void {
    this.#say('heartbeat', {}, undefined, at);
  }

  /** Says that the stream ends here and goes on elsewhere. */
  leave(reason: ChannelEventData<'reconnect'>['reason']): void {
    this.#say('reconnect', { reason }, undefined, undefined, newRetryMs());
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
    const { database, clock } = this.#platform;
    return readLines(database.pool, this.connection.agentId, after, clock.now());
  }

  /** Reads from PostgreSQL until everything that was told is shown. The safety net asks again when this fails. */
  async #catchUp(): Promise<void> {
    try {
      do this.#show(await this.#read(this.#position));
      while (this.#told > this.#position && !this.mailbox.closed);
    } catch (error) {
      this.#platform.log.warn({ err: error, agentId: this.connection.agentId }, 'a channel could not be read');
    } finally {
      this.#reading = undefined;
    }
  }

  /** Shows lines, and says so before when some are missing that can no longer be read. */
  #show({ lastSeq, lines }: Replay): void {
    const oldest = lines[0];
    const missedTo = (oldest?.seq ?? lastSeq + 1) - 1;
    if (missedTo > this.#position) this.#sayGap(missedTo, oldest);
    for (const { seq, type, data } of lines) {
      // Told in full while this was being read.
      if (seq <= this.#position) continue;
      this.#position = seq;
      this.mailbox.push({ id: printSeq(seq), event: type, data });
    }
    // What was told and is not there cannot be read any more.
    this.#told = Math.min(this.#told, Math.max(lastSeq, this.#position));
  }

  /** Its number is that of the last line that is missing, so that it is told once. */
  #sayGap(missedTo: number, oldest: Line | undefined): void {
    const agent = printId('agent', this.connection.agentId);
    const before = oldest === undefined ? '' : `&starting_after=${printId('event', oldest.eventId)}`;
    const data = {
      last_seen_id: printSeq(this.#position),
      oldest_available_id: oldest === undefined ? null : printSeq(oldest.seq),
      backfill: `/v1/events?agent_id=${agent}${before}`,
    };
    this.#position = missedTo;
    this.#say('gap', data, printSeq(missedTo));
  }

  #say<T extends ChannelEventType>(
    event: T,
    data: ChannelEventData<T>,
    id?: string | undefined,
    at = this.#platform.clock.now(),
    retryMs?: number,
  ): void {
    const text = channelData(event, { agentId: this.connection.agentId, eventId: newId(at), at }, data);
    const message: Message = { event, data: text };
    if (id !== undefined) message.id = id;
    if (retryMs !== undefined) message.retryMs = retryMs;
    this.mailbox.push(message);
  }
}
