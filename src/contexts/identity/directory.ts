// The directory of what a caller shows before its workspace is known: credentials, and the ids of agents (decision 0026). It holds
// hashes alone. Whatever it finds is read inside its own workspace, and kept in the process until it changes.
import type { DirectoryKind, Prisma } from '../../generated/prisma/client.js';
import { homeCell } from '../../platform/cell/cells.js';
import { addSeconds } from '../../platform/clock.js';
import type { CredentialOwner } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import type { Db, Tx } from '../../platform/postgres/database.js';
import { type DirectoryEntry, findEntry } from './directory.sql.js';

/** What is kept of a credential, and the tags of the changes that end it. Null is not kept. */
export interface LoadedCredential<T> {
  value: T | null;
  tags: readonly string[];
}

/** What a look-up finds of a credential that is no good. */
export const nothing: LoadedCredential<never> = { value: null, tags: [] };

/**
 * What `load` makes of the row that a credential stands for, kept until something changes that its tags name; null when the directory
 * does not know the credential or `load` finds nothing. `load` gets a client of the entry's workspace alone.
 */
export function findCredential<T>(
  { cache, database }: Platform,
  kind: DirectoryKind,
  credential: string,
  load: (db: Db, entry: DirectoryEntry) => Promise<LoadedCredential<T>>,
): Promise<T | null> {
  const hash = sha256(credential);
  return cache.get<T | null>(`${kind}:${hash.toString('base64')}`, async () => {
    const entry = await findEntry(database.pool, kind, hash);
    return entry === null ? nothing : load(database.forWorkspace(entry.workspace.id), entry);
  });
}

/** Looks up whose a credential is, whether it is still good or not. */
export function ownerIn(kind: DirectoryKind): (platform: Platform, credential: string) => Promise<CredentialOwner | null> {
  return async ({ database }, credential) => {
    const entry = await findEntry(database.pool, kind, sha256(credential));
    return entry && { workspaceId: entry.workspace.id, kind, id: entry.id };
  };
}

export type NewEntry = Pick<Prisma.CredentialUncheckedCreateInput, 'kind' | 'id' | 'hash' | 'expiresAt'>;

/**
 * Adds an entry, in the transaction that writes its row, and before that to the directory where it stands in another database. `expiresAt` is
 * null for what does not end by itself.
 */
export async function addEntry(
  { platform, workspace }: Pick<Ctx, 'platform' | 'workspace'>,
  tx: Tx,
  { kind, id, hash, expiresAt = null }: NewEntry,
): Promise<void> {
  const data = { kind, id, hash, expiresAt };
  await listEntries(platform, [{ ...data, workspaceId: workspace.id }]);
  await tx.credential.create({ data });
}

/** Lists entries of another cell than the first, until they are known to be there; those of the first stand in the directory anyway. */
export async function listEntries(
  { cell, cells, clock }: Platform,
  entries: readonly Prisma.CredentialUncheckedCreateInput[],
): Promise<void> {
  if (cell === homeCell) return;
  const pendingSince = clock.now();
  const data = entries.map((entry) => ({ ...entry, pendingSince }));
  await cells.directory.database.unscoped.credential.createMany({ data, skipDuplicates: true });
}

/** Removes entries of a row, in the transaction that takes from it what they stand for; the directory of another database loses them at once. */
export async function removeEntries(
  { platform: { cell, cells }, workspace }: Pick<Ctx, 'platform' | 'workspace'>,
  tx: Tx,
  { kind, id, hashes }: { kind: DirectoryKind; id: string; hashes: Buffer<ArrayBuffer>[] },
): Promise<void> {
  const where = { hash: { in: hashes }, kind, id };
  await tx.credential.deleteMany({ where });
  if (cell === homeCell) return;
  await cells.directory.database.unscoped.credential.deleteMany({ where: { ...where, workspaceId: workspace.id } });
}

/** Notes when entries end, in the transaction that ends their rows. The rows say whether a credential is good; this is for the sweep. */
export async function endEntries(tx: Tx, hashes: readonly Uint8Array<ArrayBuffer>[], expiresAt: Date): Promise<void> {
  await tx.credential.updateMany({ where: { hash: { in: [...hashes] } }, data: { expiresAt } });
}

/** Gap G-66: An ended credential is known for a day; then its hash is deleted and it answers like an unknown one. */
export const endedAgeSeconds = 86_400;

/** Deletes entries that ended a day ago, from the directory first; how many. For the worker. */
export async function sweepDirectory({ cell, cells, database, clock }: Platform, most = 1_000): Promise<number> {
  const until = addSeconds(clock.now(), -endedAgeSeconds);
  const where = { expiresAt: { lte: until } };
  if (cell !== homeCell) {
    const ended = await database.unscoped.credential.findMany({ where, take: most, select: { hash: true } });
    const hashes = ended.map(({ hash }) => hash);
    await cells.directory.database.unscoped.credential.deleteMany({ where: { hash: { in: hashes } } });
  }
  const { count } = await database.unscoped.credential.deleteMany({ where, limit: most });
  return count;
}

/** Forgets signed-out sessions whose hour is over; how many. For the worker. */
export async function sweepEndedJwts({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { count } = await database.unscoped.endedJwt.deleteMany({ where: { expiresAt: { lte: clock.now() } }, limit: most });
  return count;
}
