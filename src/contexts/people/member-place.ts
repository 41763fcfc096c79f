// By what members are found before their tenant is known, as the directory has it for the cells beside the first: keyed hashes of their e-mails
// and passkeys, which tell neither. An entry is a pointer: the cell says what there is. It is written before the row that it stands for, and a
// sweep ends what a crash left between. Signing in writes none.
import type { Member, Passkey, Prisma } from '../../generated/prisma/client.js';
import { homeCell } from '../../platform/cell/cells.js';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';

/** Of whom an entry is. */
type Listed = Pick<Member, 'id' | 'tenantId' | 'emailKey'>;

const hashOf = ({ vault }: Pick<Platform, 'vault'>, emailKey: string) =>
  vault.nameOf('e-mail in the directory', emailKey) as Buffer<ArrayBuffer>;

const passkeyHash = ({ vault }: Pick<Platform, 'vault'>, credentialId: string) =>
  vault.nameOf('passkey in the directory', credentialId) as Buffer<ArrayBuffer>;

const entriesOf = (platform: Platform, members: readonly Listed[]) =>
  members.map(({ id, tenantId, emailKey }) => ({ hash: hashOf(platform, emailKey), memberId: id, tenantId }));

type ListedPasskey = Pick<Passkey, 'credentialId' | 'memberId' | 'tenantId'>;

const passkeyEntries = (platform: Platform, passkeys: readonly ListedPasskey[]) =>
  passkeys.map(({ credentialId, memberId, tenantId }) => ({ hash: passkeyHash(platform, credentialId), memberId, tenantId }));

const placesOf = ({ cells }: Platform) => cells.directory.database.unscoped.memberPlace;

/** Lists a member of another cell than the first, before the cell has it. */
export function listMember(platform: Platform, member: Listed): Promise<void> {
  return list(platform, entriesOf(platform, [member]));
}

/** Lists a passkey of a member of another cell than the first, before the cell has it. */
export function listPasskey(platform: Platform, passkey: ListedPasskey): Promise<void> {
  return list(platform, passkeyEntries(platform, [passkey]));
}

async function list(platform: Platform, entries: ReturnType<typeof entriesOf>): Promise<void> {
  if (platform.cell === homeCell) return;
  const pendingSince = platform.clock.now();
  await placesOf(platform).createMany({ data: entries.map((entry) => ({ ...entry, pendingSince })), skipDuplicates: true });
}

/** Removes the entries of a member who was removed. */
export function unlistMember(platform: Platform, { id: memberId, tenantId }: Listed): Promise<void> {
  return unlist(platform, { memberId, tenantId });
}

/** Removes the entries of passkeys that were deleted. */
export function unlistPasskeys(platform: Platform, memberId: string, credentialIds: readonly string[]): Promise<void> {
  return unlist(platform, { memberId, hash: { in: credentialIds.map((id) => passkeyHash(platform, id)) } });
}

/** One that stays leads to a cell that does not let anybody in by it. */
async function unlist(platform: Platform, where: Prisma.MemberPlaceWhereInput): Promise<void> {
  if (platform.cell === homeCell) return;
  await placesOf(platform)
    .deleteMany({ where })
    .catch((error: unknown) => platform.log.warn({ err: error }, 'a member stays in the directory'));
}

/** The cells in which an e-mail may be known, with the tenants there. The first one knows its own, and lists none. */
export async function placesOfEmail(platform: Platform, emailKey: string, most: number): Promise<{ tenantId: string; cell: string }[]> {
  const where = { hash: hashOf(platform, emailKey) };
  const select = { tenantId: true, tenant: { select: { cellName: true } } };
  const found = await placesOf(platform).findMany({ where, select, take: most });
  return found.map(({ tenantId, tenant }) => ({ tenantId, cell: tenant.cellName }));
}

/** The cells of some members that are not in the first, with their tenants. */
export async function placesOfMembers(platform: Platform, ids: readonly string[]): Promise<{ tenantId: string; cell: string }[]> {
  const select = { tenantId: true, tenant: { select: { cellName: true } } };
  const found = await placesOf(platform).findMany({ where: { memberId: { in: [...ids] } }, distinct: ['tenantId'], select });
  return found.map(({ tenantId, tenant }) => ({ tenantId, cell: tenant.cellName }));
}

/** The cell of a passkey; undefined where the directory does not have it. */
export async function cellOfPasskey(platform: Platform, credentialId: string): Promise<string | undefined> {
  const select = { tenant: { select: { cellName: true } } };
  const found = await placesOf(platform).findFirst({ where: { hash: passkeyHash(platform, credentialId) }, select });
  return found?.tenant.cellName;
}

/** Members that are read at once. */
const setSize = 5_000;

type ListedMember = Listed & { passkeys: ListedPasskey[] };

/** The living members of a cell, of one tenant or of all that are there, with their passkeys. */
async function* livingMembers({ database }: Platform, tenantId?: string): AsyncGenerator<ListedMember[]> {
  const moved = await database.unscoped.movedWorkspace.findMany({ distinct: ['tenantId'], select: { tenantId: true } });
  const isThere = tenantId === undefined ? { notIn: moved.map((each) => each.tenantId) } : tenantId;
  for (let after = ''; ; ) {
    const where = { status: { not: 'removed' as const }, tenantId: isThere, ...(after !== '' && { id: { gt: after } }) };
    const passkeys = { select: { credentialId: true, memberId: true, tenantId: true } };
    const select = { id: true, tenantId: true, emailKey: true, passkeys };
    const set = await database.unscoped.member.findMany({ where, select, orderBy: { id: 'asc' }, take: setSize });
    if (set.length > 0) yield set;
    if (set.length < setSize) return;
    after = set.at(-1)?.id ?? '';
  }
}

/** Lists the members of a tenant that moves to the cell of `platform`, whose rows are there; those of one that comes to the first are not listed. */
export async function relistMembers(platform: Platform, tenantId: string): Promise<void> {
  if (platform.cell === homeCell) return;
  for await (const set of livingMembers(platform, tenantId)) {
    await placesOf(platform).createMany({ data: allEntries(platform, set), skipDuplicates: true });
  }
}

const allEntries = (platform: Platform, members: readonly ListedMember[]) => [
  ...entriesOf(platform, members),
  ...members.flatMap(({ passkeys }) => passkeyEntries(platform, passkeys)),
];

/** How many members of a cell the directory does not know, by their e-mail or by a passkey. */
export async function countUnlisted(platform: Platform): Promise<number> {
  if (platform.cell === homeCell) return 0;
  let unlisted = 0;
  for await (const set of livingMembers(platform)) {
    const entries = allEntries(platform, set);
    const where = { hash: { in: entries.map(({ hash }) => hash) } };
    const known = await placesOf(platform).findMany({ where, select: { hash: true, memberId: true } });
    const listed = new Set(known.map(nameOf));
    unlisted += new Set(entries.filter((entry) => !listed.has(nameOf(entry))).map(({ memberId }) => memberId)).size;
  }
  return unlisted;
}

const nameOf = ({ hash, memberId }: { hash: Uint8Array; memberId: string }) => `${memberId} ${Buffer.from(hash).toString('base64')}`;

/** What was begun so long ago has been written by now, or never will be: as for credentials (G-545). */
const settledSeconds = 60;

/** Confirms entries that are pending for the cell of the platform, and deletes those that it does not have; how many. For the worker. */
export async function sweepMemberPlaces(platform: Platform, most = 1_000): Promise<number> {
  const { cell, clock, database } = platform;
  if (cell === homeCell) return 0;
  const places = placesOf(platform);
  const pendingSince = { lte: addSeconds(clock.now(), -settledSeconds) };
  const pending = await places.findMany({ where: { pendingSince, tenant: { cellName: cell } }, take: most, select: { memberId: true } });
  if (pending.length === 0) return 0;
  const ids = pending.map(({ memberId }) => memberId);
  const there = (await database.unscoped.member.findMany({ where: { id: { in: ids } }, select: { id: true } })).map(({ id }) => id);
  await places.updateMany({ where: { memberId: { in: there }, pendingSince }, data: { pendingSince: null } });
  await places.deleteMany({ where: { memberId: { in: ids, notIn: there }, pendingSince } });
  return ids.length;
}
