// What the authorization server keeps, as the library gives and takes it. Payloads are sealed; times are those of the platform's clock, and
// the library, which reads that of the machine, is told them in its own.
import { addSeconds, systemClock } from '../../platform/clock.js';
import { sha256 } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { endOfActive, type FoundArtifact, findArtifact, type Holder, type NewArtifact } from './artifact.sql.js';

export type Payload = Record<string, unknown>;

/** Under what an artifact is found. */
export function artifactHash(kind: string, id: string): Buffer {
  return sha256(`${kind} ${id}`);
}

/** The seconds of an instant, as the library counts them. */
const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Whose tokens with this account are. An account of the library is a connection. */
export function holderOf(accountId: unknown): Holder | null {
  const [workspaceId, connectionId] = typeof accountId === 'string' ? accountId.split('.') : [];
  return workspaceId === undefined || connectionId === undefined ? null : { workspaceId, connectionId };
}

/** The account of a connection. */
export function accountOf({ workspaceId, connectionId }: Holder): string {
  return `${workspaceId}.${connectionId}`;
}

/** An artifact to be written, which expires in so many seconds. */
export function newArtifact(
  { vault, clock }: Platform,
  environment: Environment,
  { kind, id, payload, seconds }: { kind: string; id: string; payload: Payload; seconds: number },
): NewArtifact {
  const hash = artifactHash(kind, id);
  const at = clock.now();
  const sealed = vault.seal(JSON.stringify(payload), hash.toString('hex'));
  const holder = holderOf(payload['accountId']);
  return { hash, kind, environment, holder, payload: sealed, at, expiresAt: addSeconds(at, seconds) };
}

export interface OpenArtifact {
  payload: Payload;
  row: FoundArtifact;
}

/** When an artifact ends: with its connection, where it has one. Undefined where that has ended, or was never written. */
async function endOf({ cells }: Platform, { workspaceId, connectionId, expiresAt }: FoundArtifact, at: Date): Promise<Date | undefined> {
  if (workspaceId === null || connectionId === null) return expiresAt;
  const { database } = await cells.find({ workspaceId });
  const end = await endOfActive(database.pool, { workspaceId, connectionId }, at);
  return end !== undefined && end < expiresAt ? end : end && expiresAt;
}

/** The artifact with its payload opened, if it still counts. */
export async function openArtifact(
  platform: Platform,
  environment: Environment,
  { kind, id }: { kind: string; id: string },
): Promise<OpenArtifact | null> {
  const { vault, clock, cells } = platform;
  const hash = artifactHash(kind, id);
  const at = clock.now();
  const found = await findArtifact(cells.directory.database.pool, { hash, environment, at });
  const expiresAt = found === null ? undefined : await endOf(platform, found, at);
  if (found === null || expiresAt === undefined) return null;
  const row = { ...found, expiresAt };
  const payload = JSON.parse(vault.open(row.payload, hash.toString('hex'))) as Payload;
  const left = secondsOf(row.expiresAt) - secondsOf(at);
  const now = secondsOf(systemClock.now());
  const isDated = payload['exp'] !== undefined;
  const dated = isDated ? { ...payload, iat: Math.min(now, Number(payload['iat'] ?? now)), exp: now + left } : payload;
  return { payload: { ...dated, ...(row.consumedAt !== null && { consumed: now }) }, row };
}
