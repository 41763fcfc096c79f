// The open streams of this process and their life: heartbeats for all of them from one timer, their end when a credential
// does, their rows in agent_connection, by which every process knows who is connected (CONTRACT.md 5 "SSE channel").
import { SessionRevoked } from '../../ledger/errors.js';
import { addSeconds } from '../../platform/clock.js';
import { openRow } from '../../platform/connection-row.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { DependencyUnavailable } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import { lastSeqs } from '../../platform/line.js';
import type { ChannelReader } from './channel-reader.js';
import { TooManyConnections } from './errors.js';

export const maxConnections = 5;
/** A connection whose heartbeat is older has gone with its process. */
const staleAfterBeats = 2.5;
const slots = 30;

/** Rows with a heartbeat after this are live. */
export function liveSince({ clock, heartbeatMs }: Platform): Date {
  return new Date(clock.now().getTime() - staleAfterBeats * heartbeatMs);
}

/** An id in one piece: a new one is a chain of twenty strings, which a connection would keep for an hour. */
function flat(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1');
}

/** The place of a stream among the others. */
export interface Connection {
  id: string;
  agentId: string;
  /** The session whose connection it is; null for somebody who only watches. */
  sessionId: string | null;
  /** Tag of the credential that opened it. */
  tag: string;
  expiresAt: Date;
}

/**
 * Takes the session's place at its agent: an older connection of the same session is closed, wherever it is. 409 when five
 * other sessions are connected.
 */
export async function openConnection(ctx: Ctx, agentId: string): Promise<Connection & { lastSeq: number }> {
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
  if (others >= maxConnections) throw new TooManyConnections(maxConnections, others);
  for (const each of replaced) connectionsOf(platform).end(each);
  return { id, agentId, sessionId, tag: `session:${sessionId}`, lastSeq, expiresAt };
}

const watchSeconds = 3_600;

/** The place of somebody who watches and is not connected as the agent: it ends after an hour, or when its credential changes. */
export function openWatch({ actor, platform }: Ctx, agentId: string): Connection {
  const { kind, id } = actor.credential;
  const at = platform.clock.now();
  return { id: newId(at), agentId, sessionId: null, tag: `${kind}:${id}`, expiresAt: addSeconds(at, watchSeconds) };
}

const processes = new WeakMap<Platform, Connections>();

/** The streams of this process. */
export function connectionsOf(platform: Platform): Connections {
  let connections = processes.get(platform);
  if (connections === undefined) {
    connections = new Connections(platform);
    processes.set(platform, connections);
  }
  return connections;
}

/** Tells every reader to come back elsewhere, and ends the streams of this process. */
export function endStreams(platform: Platform): Promise<void> {
  return connectionsOf(platform).stop();
}

export class Connections {
  readonly #platform: Platform;
  readonly #open = new Map<string, ChannelReader>();
  readonly #byAgent = new Map<string, Set<ChannelReader>>();
  readonly #byTag = new Map<string, Set<ChannelReader>>();
  readonly #slots = Array.from({ length: slots }, () => new Set<ChannelReader>());
  #slot = 0;
  #added = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #left: ChannelReader[] = [];
  #leaving: Promise<void> | undefined;
  #doubted = new Set<ChannelReader>();
  #checking: Promise<void> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.fanout.onEnded((id) => this.end(id));
    platform.cache.onDrop((tag) => this.#doubt(tag));
  }

  get size(): number {
    return this.#open.size;
  }

  /** Looks after a reader from now on. 503 while the process is about to end. */
  add(reader: ChannelReader): void {
    if (this.#stopping) throw new DependencyUnavailable('This process is about to end and');
    const { id, agentId, tag } = reader.connection;
    this.#open.set(id, reader);
    put(this.#byAgent, agentId, reader);
    put(this.#byTag, tag, reader);
    this.#added = (this.#added + 1) % slots;
    this.#slots[this.#added]?.add(reader);
    this.#timer ??= setInterval(() => void this.tick(), this.#platform.heartbeatMs / slots).unref();
  }

  /** Forgets a reader whose stream has ended. */
  remove(reader: ChannelReader): void {
    const { id, agentId, tag, sessionId } = reader.connection;
    if (!this.#open.delete(id)) return;
    take(this.#byAgent, agentId, reader);
    take(this.#byTag, tag, reader);
    for (const slot of this.#slots) if (slot.delete(reader)) break;
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (sessionId === null) return;
    this.#left.push(reader);
    this.#leaving ??= this.#writeLeft();
  }

  /** Ends one stream of this process, if it has it. */
  end(id: string): void {
    this.#open.get(id)?.end();
  }

  /** One turn of the wheel: heartbeats for a part of the streams, an end for those whose session does. */
  async tick(): Promise<void> {
    const now = this.#platform.clock.now();
    const soon = now.getTime() + (2 * this.#platform.heartbeatMs) / slots;
    for (const reader of this.#open.values()) if (reader.connection.expiresAt.getTime() <= soon) reader.leave('session_expires');
    this.#slot = (this.#slot + 1) % slots;
    for (const reader of this.#slots[this.#slot] ?? []) reader.beat(now);
    if (this.#slot % (slots / 5) === 0) await this.#ask();
    if (this.#slot === 0) await this.#writeBeats(now);
  }

  /** A whole turn. */
  async turn(): Promise<void> {
    for (let tick = 0; tick < slots; tick += 1) await this.tick();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const reader of [...this.#open.values()]) reader.leave('shutdown');
    await this.#leaving;
  }

  /** All heartbeats of the process in one statement. */
  async #writeBeats(lastHeartbeatAt: Date): Promise<void> {
    const ids = [...this.#open.values()].flatMap(({ connection: { id, sessionId } }) => (sessionId === null ? [] : [id]));
    if (ids.length === 0) return;
    await this.#attempt(() =>
      this.#platform.database.unscoped.agentConnection.updateMany({ where: { id: { in: ids } }, data: { lastHeartbeatAt } }),
    );
  }

  /** The safety net below the fan-out: one question for all channels that are read here. */
  async #ask(): Promise<void> {
    if (this.#byAgent.size === 0) return;
    await this.#attempt(async () => {
      for (const [agentId, seq] of await lastSeqs(this.#platform.database.pool, [...this.#byAgent.keys()])) {
        for (const reader of this.#byAgent.get(agentId) ?? []) reader.behind(seq);
      }
    });
  }

  async #writeLeft(): Promise<void> {
    while (this.#left.length > 0) {
      const left = this.#left.splice(0).map(({ connection }) => connection);
      const { unscoped } = this.#platform.database;
      await this.#attempt(async () => {
        const { count } = await unscoped.agentConnection.deleteMany({ where: { id: { in: left.map(({ id }) => id) } } });
        if (count === 0) return;
        const agentId = { in: [...new Set(left.map((connection) => connection.agentId))] };
        await unscoped.agentChannel.updateMany({ where: { agentId }, data: { lastDisconnectAt: this.#platform.clock.now() } });
      });
    }
    this.#leaving = undefined;
  }

  /** A tag was dropped: those whose credential it may have ended are looked at. Others than agents are asked to come again. */
  #doubt(tag: string): void {
    const agentId = tag.startsWith('agent:') ? tag.slice('agent:'.length) : '';
    for (const reader of this.#byTag.get(tag) ?? []) {
      if (reader.connection.sessionId === null) reader.end();
      else this.#doubted.add(reader);
    }
    for (const reader of this.#byAgent.get(agentId) ?? []) if (reader.connection.sessionId !== null) this.#doubted.add(reader);
    if (this.#doubted.size > 0) this.#checking ??= this.#check();
  }

  /** Ends the doubted streams whose session or agent is over, once they have shown everything that was written before. */
  async #check(): Promise<void> {
    while (this.#doubted.size > 0) {
      const readers = [...this.#doubted];
      this.#doubted.clear();
      await this.#attempt(async () => {
        const sessions = await this.#platform.database.unscoped.agentSession.findMany({
          where: {
            id: { in: readers.map(({ connection }) => connection.sessionId ?? '') },
            revokedAt: null,
            agent: { status: { in: ['active', 'frozen'] }, keyRevokedAt: null },
          },
          select: { id: true },
        });
        const alive = new Set(sessions.map(({ id }) => id));
        await Promise.all(readers.filter(({ connection }) => !alive.has(connection.sessionId ?? '')).map((reader) => reader.finish()));
      });
    }
    this.#checking = undefined;
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'the streams of this process could not be looked after; the next turn tries again');
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
