// What the library of the authorization server asks of a store: one adapter for all kinds of artifacts.
import type { Environment, Platform } from '../../platform/ctx.js';
import { artifactHash, newArtifact, openArtifact, type Payload } from './artifact.js';
import { consumeArtifact, deleteArtifact, writeArtifact } from './artifact.sql.js';
import { registerClient, waitingSeconds } from './client.sql.js';
import { endConnectionOf } from './connection.js';

/** Where a client registers from. */
export interface Caller {
  address: string;
  network: string;
}

export interface AdapterParts {
  platform: Platform;
  environment: Environment;
  /** Who makes the request that is being answered. */
  caller: () => Caller;
  /** What the library answers for a token that was used up by another request. */
  usedUp: () => Error;
  /** Told what went wrong with the store: the library makes an answer of its own of it. */
  failed: (error: unknown) => void;
  /** What it answers to a registration for which there is no room. */
  noRoom: (reason: string) => Error;
}

/** Nothing is kept of a session: each authorization shows its page, and no cookie remembers a consent. */
const forgotten = 'Session';

/** The adapter of one kind of artifact. */
export class ArtifactAdapter {
  readonly #kind: string;
  readonly #parts: AdapterParts;

  constructor(kind: string, parts: AdapterParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  async upsert(id: string, payload: Payload, seconds = waitingSeconds): Promise<void> {
    const { platform, environment, caller, noRoom } = this.#parts;
    if (this.#kind === forgotten) return;
    const artifact = newArtifact(platform, environment, { kind: this.#kind, id, payload, seconds });
    const { pool } = platform.cells.directory.database;
    if (this.#kind !== 'Client') return this.#told(() => writeArtifact(pool, artifact));
    const full = await this.#told(() => registerClient(pool, artifact, caller()));
    if (full !== undefined) throw noRoom(full);
  }

  async find(id: string): Promise<Payload | undefined> {
    if (this.#kind === forgotten) return undefined;
    const { platform, environment } = this.#parts;
    return (await this.#told(() => openArtifact(platform, environment, { kind: this.#kind, id })))?.payload;
  }

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  /** One conditional update: of many uses at once one is the first, and the others are refused. */
  async consume(id: string): Promise<void> {
    const { platform, usedUp } = this.#parts;
    const { pool } = platform.cells.directory.database;
    const isFirst = await this.#told(() => consumeArtifact(pool, artifactHash(this.#kind, id), platform.clock.now()));
    if (!isFirst) throw usedUp();
  }

  /** What is used up stays, so that its next use is noticed. The end of a grant is that of its connection. */
  async destroy(id: string): Promise<void> {
    const { platform, environment } = this.#parts;
    if (this.#kind === forgotten) return;
    if (this.#kind === 'Grant') return this.#told(() => endConnectionOf(platform, environment, id));
    const { pool } = platform.cells.directory.database;
    if (this.#kind === 'Interaction') await this.#told(() => deleteArtifact(pool, artifactHash(this.#kind, id)));
  }

  /** The tokens of a grant end with it. */
  async revokeByGrantId(): Promise<void> {}

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#parts.failed(error);
      throw error;
    }
  }
}
