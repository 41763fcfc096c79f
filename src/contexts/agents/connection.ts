// The open streams of this process: heartbeats for all of them from one timer, their end when a credential ends, and their rows in
// agent_connection, by which every process knows who is connected (CONTRACT.md 5 "SSE channel").
import { addSeconds } from '../../platform/clock.js';
import { leftCell, tagsOf } from '../../platform/credential.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { DependencyUnavailable } from '../../platform/errors.js';
import { newId } from '../../platform/schema/id.js';
import { lastSeqs } from './agent-event.sql.js';
import { deleteConnections, liveSessions, openRow, writeHeartbeats } from './connection.sql.js';
import { SessionRevoked, TooManyConnections } from './errors.js';

export const maxConnections = 5;
/** A row whose heartbeat is older belongs to a process that has ended. */
const staleAfterBeats = 2.5;
/** Heartbeats are spread over so many ticks of the timer. */
const slots = 30;

/** Rows with a heartbeat after this are live. */
export function liveSince({ clock, heartbeatMs }: Platform): Date {
  return new Date(clock.now().getTime() - staleAfterBeats * heartbeatMs);
}

/** An id in one piece: a new one is a chain of twenty strings, which a connection would keep for an hour. */
function flat(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1');
}

/** One open stream of an agent's channel. */
export interface ChannelConnection {
  id: string;
  workspaceId: string;
  agentId: string;
  /** The session whose connection it is; null for a stream that only watches. */
  sessionId: string | null;
  /** Cache tags of the credential that opened it. When one of them is dropped, the credential may have ended. */
  tags: readonly string[];
  expiresAt: Date;
}

/**
 * Opens the connection of a session: an older one of the same session is closed, in whichever process. 409 when five other sessions
 * of the agent are connected.
 */
export async function openConnection(ctx: Ctx, agentId: string): Promise<ChannelConnection & { lastSeq: number }> {
  const { platform, actor, workspace } = ctx;
  const sessionId = actor.credential.id;
  const at = platform.clock.now();
  const id = flat(newId(at));
  const { lastSeq, expiresAt, others, replaced } = await openRow(platform.database.pool, {
    workspaceId: workspace.id,
    agentId,
    sessionId,
    id,
    at,
    liveSince: liveSince(platform),
    most: maxConnections,
    sender: platform.fanout.sender,
  });
  if (expiresAt === null) throw new SessionRevoked('This session has ended. Sign a new challenge to get another.');
  if (others >= maxConnections) throw new TooManyConnections(agentId, maxConnections, others);
  for (const each of replaced) connectionsOf(platform).end(each);
  return { id, workspaceId: workspace.id, agentId, sessionId, tags: tagsOf(actor, workspace), lastSeq, expiresAt };
}

const watchSeconds = 3_600;

/** A stream that watches an agent without being its connection. It ends after an hour, and with its credential. */
export async function openWatch(ctx: Ctx, agentId: string): Promise<ChannelConnection> {
  const { actor, platform, workspace } = ctx;
  const at = platform.clock.now();
  const longest = addSeconds(at, watchSeconds);
  const end = await agentCredentialEnd(ctx);
  const expiresAt = end !== null && end < longest ? end : longest;
  return { id: newId(at), workspaceId: workspace.id, agentId, sessionId: null, tags: tagsOf(actor, workspace), expiresAt };
}

/** When the session or the rotated token of an agent ends; null: at no known time. */
async function agentCredentialEnd({ db, actor: { credential } }: Ctx): Promise<Date | null> {
  const query = { where: { id: credential.id }, select: { expiresAt: true } };
  if (credential.kind === 'agent_token') return (await db.agentToken.findFirst(query))?.expiresAt ?? null;
  if (credential.kind === 'session') return (await db.agentSession.findFirst(query))?.expiresAt ?? null;
  return null;
}

const processes = new WeakMap<Platform, ChannelConnections>();

/** The streams of this process. */
export function connectionsOf(platform: Platform): ChannelConnections {
  let connections = processes.get(platform);
  if (connections === undefined) {
    connections = new ChannelConnections(platform);
    processes.set(platform, connections);
  }
  return connections;
}

/** Asks every reader to come back elsewhere, and ends the streams of this process. */
export function endStreams(platform: Platform): Promise<void> {
  return connectionsOf(platform).stop();
}

/** What is asked of an open stream. */
export interface OpenStream {
  readonly connection: ChannelConnection;
  /** There may be events up to `seq` that it has not shown. */
  behind(seq: number): void;
  beat(at: Date): void;
  /** Tells its reader to come back elsewhere, and ends. */
  leave(reason: 'shutdown' | 'session_expires'): void;
  /** Ends after everything that has been written. */
  finish(): Promise<void>;
  end(): void;
}

export class ChannelConnections {
  readonly #platform: Platform;
  readonly #open = new Map<string, OpenStream>();
  readonly #byAgent = new Map<string, Set<OpenStream>>();
  readonly #byTag = new Map<string, Set<OpenStream>>();
  readonly #slots = Array.from({ length: slots }, () => new Set<OpenStream>());
  #slot = 0;
  #added = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #closed: OpenStream[] = [];
  #closing: Promise<void> | undefined;
  #doubted = new Set<OpenStream>();
  #checking: Promise<void> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.fanout.onEnded((id) => this.end(id));
    platform.cache.onDrop((tag) => {
      const readers = this.#byTag.get(tag);
      if (!tag.startsWith(leftCell)) this.#doubt(readers);
      else for (const reader of [...(readers ?? [])]) reader.leave('shutdown');
    });
    // Tags that were dropped during an interruption have not reached this process.
    platform.cache.onNotice((notice) => {
      if (notice === null) this.#doubt(this.#open.values());
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** Looks after a reader from now on. 503 while the process is about to end. */
  add(reader: OpenStream): void {
    if (this.#stopping) throw new DependencyUnavailable('This process is about to end and');
    const { id, agentId, tags } = reader.connection;
    this.#open.set(id, reader);
    put(this.#byAgent, agentId, reader);
    for (const tag of tags) put(this.#byTag, tag, reader);
    this.#added = (this.#added + 1) % slots;
    this.#slots[this.#added]?.add(reader);
    this.#timer ??= setInterval(() => void this.tick(), this.#platform.heartbeatMs / slots).unref();
  }

  /** Forgets a reader whose stream has ended. */
  remove(reader: OpenStream): void {
    const { id, agentId, tags, sessionId } = reader.connection;
    if (!this.#open.delete(id)) return;
    take(this.#byAgent, agentId, reader);
    for (const tag of tags) take(this.#byTag, tag, reader);
    for (const slot of this.#slots) if (slot.delete(reader)) break;
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (sessionId === null) return;
    this.#closed.push(reader);
    this.#closing ??= this.#writeClosed();
  }

  /** Ends one stream of this process, if it has it. */
  end(id: string): void {
    this.#open.get(id)?.end();
  }

  /** One tick of the timer: heartbeats for a part of the streams, an end for those whose credential ends. */
  async tick(): Promise<void> {
    const now = this.#platform.clock.now();
    const soon = now.getTime() + (2 * this.#platform.heartbeatMs) / slots;
    for (const reader of this.#open.values()) if (reader.connection.expiresAt.getTime() <= soon) reader.leave('session_expires');
    this.#slot = (this.#slot + 1) % slots;
    for (const reader of this.#slots[this.#slot] ?? []) reader.beat(now);
    if (this.#slot % (slots / 5) === 0) {
      await this.#ask();
      this.#startCheck();
    }
    if (this.#slot === 0) await this.#writeHeartbeats(now);
  }

  /** As many ticks as give every stream its heartbeat. */
  async turn(): Promise<void> {
    for (let tick = 0; tick < slots; tick += 1) await this.tick();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const reader of [...this.#open.values()]) reader.leave('shutdown');
    await this.#closing;
  }

  /** All heartbeats of the process in one statement. */
  async #writeHeartbeats(at: Date): Promise<void> {
    const connected = [...this.#open.values()].flatMap(({ connection }) => (connection.sessionId === null ? [] : [connection]));
    if (connected.length > 0) await this.#attempt(() => writeHeartbeats(this.#platform.database.pool, connected, at));
  }

  /** The safety net below the fan-out: one statement asks for the last number of every channel that is read here. */
  async #ask(): Promise<void> {
    if (this.#byAgent.size === 0) return;
    const channels = [...this.#byAgent.values()].flatMap(([reader]) => (reader === undefined ? [] : [reader.connection]));
    await this.#attempt(async () => {
      for (const [agentId, seq] of await lastSeqs(this.#platform.database.pool, channels)) {
        for (const reader of this.#byAgent.get(agentId) ?? []) reader.behind(seq);
      }
    });
  }

  async #writeClosed(): Promise<void> {
    while (this.#closed.length > 0) {
      const closed = this.#closed.splice(0).map(({ connection }) => connection);
      await this.#attempt(() => deleteConnections(this.#platform.database.pool, closed, this.#platform.clock.now()));
    }
    this.#closing = undefined;
  }

  /** The credentials of these readers may have ended: watchers have to come again, connected agents are checked. */
  #doubt(readers: Iterable<OpenStream> = []): void {
    for (const reader of [...readers]) {
      if (reader.connection.sessionId === null) reader.end();
      else this.#doubted.add(reader);
    }
    this.#startCheck();
  }

  #startCheck(): void {
    if (this.#doubted.size === 0 || this.#checking !== undefined) return;
    this.#checking = this.#check().finally(() => {
      this.#checking = undefined;
    });
  }

  /** Ends the doubted streams whose session has ended, once they have shown everything that was written before. */
  async #check(): Promise<void> {
    while (this.#doubted.size > 0) {
      const readers = [...this.#doubted];
      this.#doubted.clear();
      const sessions = readers.map(({ connection: { workspaceId, sessionId } }) => ({ workspaceId, id: sessionId ?? '' }));
      const checked = await this.#attempt(async () => {
        const live = await liveSessions(this.#platform.database.pool, sessions);
        await Promise.all(readers.filter(({ connection }) => !live.has(connection.sessionId ?? '')).map((reader) => reader.finish()));
      });
      if (checked) continue;
      for (const reader of readers) if (this.#open.has(reader.connection.id)) this.#doubted.add(reader);
      return;
    }
  }

  /** False when it failed: what has to be done is tried again by a later tick. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'the streams of this process could not be maintained; the next run tries again');
      return false;
    }
  }
}

function put<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function take<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
