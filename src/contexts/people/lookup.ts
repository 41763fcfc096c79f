// What of people is looked for before their tenant is known, through the door without walls: an e-mail, the token of a link, a cookie, a
// slug, the `state` of a sign-in elsewhere, and the tenants that one person has proved to belong to. Nothing else of this context uses that door.
import type {
  Invitation,
  Login,
  Member,
  OidcAttempt,
  OidcIdentity,
  Passkey,
  Password,
  Prisma,
  Recovery,
  SignInSetting,
} from '../../generated/prisma/client.js';
import { homeCell } from '../../platform/cell/cells.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, type Environment, type Platform, workspaceOf } from '../../platform/ctx.js';
import type { Database } from '../../platform/postgres/database.js';
import type { ShownLink } from './link.js';
import { cellOfPasskey, placesOfEmail, placesOfMembers } from './member-place.js';
import { cellOfSlug } from './slug-place.js';

/** Members that one e-mail has, of all tenants together. */
const mostOfEmail = 50;

export type MemberWithPassword = Member & { password: Password | null };

type Door = Database['unscoped'];

// Gap G-547: A link says its workspace; a passkey or a slug that the directory does not have is asked of the first cell.
/** The cell that the directory names, or the first one. */
const doorOf = ({ cells }: Platform, cell: string | undefined): Door =>
  (cells.only ?? (cell === undefined ? cells.home : cells.named(cell))).database.unscoped;

/** A cell that is away takes nobody's sign-in away whom another knows. */
async function together<T>(asked: readonly Promise<T[]>[]): Promise<T[]> {
  const answers = await Promise.allSettled(asked);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (found.length === 0 && failed !== undefined) throw failed.reason;
  return found;
}

/** Where what is nobody's yet is kept. */
const directoryOf = ({ cells }: Platform): Door => cells.directory.database.unscoped;

const activeMembers = ({ unscoped }: Database, emailKey: string, tenantId?: Prisma.UuidFilter) =>
  unscoped.member.findMany({
    where: { emailKey, status: 'active', ...(tenantId !== undefined && { tenantId }) },
    include: { password: true },
    orderBy: [{ lastSeenAt: { sort: 'desc', nulls: 'last' } }, { id: 'desc' }],
    take: mostOfEmail,
  });

/** The active members with this e-mail, of every tenant, the last seen first. Only cells are asked that the directory names. */
export async function membersWithEmail(platform: Platform, emailKey: string): Promise<MemberWithPassword[]> {
  const { cells } = platform;
  if (cells.only !== undefined) return activeMembers(cells.only.database, emailKey);
  const places = (await placesOfEmail(platform, emailKey, mostOfEmail)).filter(({ cell }) => cell !== homeCell);
  const elsewhere = new Set(places.map(({ cell }) => cell));
  const here = async () => {
    const found = await activeMembers(cells.home.database, emailKey, { notIn: places.map(({ tenantId }) => tenantId) });
    // 503 in a process that serves other cells alone.
    if (found.length > 0) cells.named(homeCell);
    return found;
  };
  const there = async (cell: string) => {
    const tenants = places.filter((place) => place.cell === cell);
    return activeMembers(cells.named(cell).database, emailKey, { in: tenants.map(({ tenantId }) => tenantId) });
  };
  const found = await together([here(), ...[...elsewhere].map(there)]);
  const seen = ({ lastSeenAt }: Member) => lastSeenAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  return found.toSorted((a, b) => seen(b) - seen(a)).slice(0, mostOfEmail);
}

/** Those of some members that are active. */
export async function membersOf(platform: Platform, ids: readonly string[]): Promise<MemberWithPassword[]> {
  const { cells } = platform;
  const active = { id: { in: [...ids] }, status: 'active' as const };
  const read = (door: Door, tenantId?: Prisma.UuidFilter) =>
    door.member.findMany({ where: { ...active, ...(tenantId !== undefined && { tenantId }) }, include: { password: true } });
  if (cells.only !== undefined) return read(cells.only.database.unscoped);
  const places = (await placesOfMembers(platform, ids)).filter(({ cell }) => cell !== homeCell);
  const tenantsIn = (cell: string) => places.filter((place) => place.cell === cell).map(({ tenantId }) => tenantId);
  const there = [...new Set(places.map(({ cell }) => cell))];
  return together([
    read(cells.home.database.unscoped, { notIn: places.map(({ tenantId }) => tenantId) }),
    ...there.map(async (cell) => read(doorOf(platform, cell), { in: tenantsIn(cell) })),
  ]);
}

/** The invitation behind a link. */
export async function invitationOf({ cells }: Platform, { hash, trace }: ShownLink): Promise<Invitation | null> {
  return (await cells.find(trace)).database.unscoped.invitation.findUnique({ where: { hash } });
}

/** The recovery behind a link, with its member. */
export async function recoveryOf({ cells }: Platform, { hash, trace }: ShownLink): Promise<(Recovery & { member: Member }) | null> {
  return (await cells.find(trace)).database.unscoped.recovery.findUnique({ where: { hash }, include: { member: true } });
}

/** The browser session of a cell behind a cookie, with its member and what the member signs in with. */
export function loginByHash({ database }: Platform, hash: Buffer<ArrayBuffer>): Promise<LoginWithMember | null> {
  const tenant = { select: { signInSetting: true } };
  const member = { include: { password: true, passkeys: { select: { id: true }, take: 1 }, identity: true, tenant } };
  return database.unscoped.login.findUnique({ where: { hash }, include: { member } });
}

/** A browser session, with its member. */
export type LoginWithMember = Login & {
  member: MemberWithPassword & {
    passkeys: { id: string }[];
    identity: OidcIdentity | null;
    tenant: { signInSetting: SignInSetting | null };
  };
};

/** What the cells of some tenants know of them. Each has to answer: what is missing would be taken for what nobody has said. */
async function inCellsOf<T>({ cells }: Platform, ids: readonly string[], read: (door: Door, ids: string[]) => Promise<T[]>): Promise<T[]> {
  if (cells.only !== undefined) return read(cells.only.database.unscoped, [...ids]);
  const places = await cells.directory.placesOf(ids);
  const names = [...new Set(places.map(({ cell }) => cell))];
  const of = (name: string) => places.filter(({ cell }) => cell === name).map(({ tenantId }) => tenantId);
  return (await Promise.all(names.map(async (name) => read(cells.named(name).database.unscoped, of(name))))).flat();
}

/** How people sign in to some tenants, where somebody has said it. */
export function settingsOfTenants(platform: Platform, ids: readonly string[]): Promise<SignInSetting[]> {
  return inCellsOf(platform, ids, (door, tenants) => door.signInSetting.findMany({ where: { tenantId: { in: tenants } } }));
}

/** The same of the tenant that is called so. */
export async function settingOfSlug(platform: Platform, slug: string): Promise<SignInSetting | null> {
  const cell = platform.cells.only === undefined ? await cellOfSlug(platform, slug) : undefined;
  return doorOf(platform, cell).signInSetting.findUnique({ where: { slug } });
}

/** Keeps a sign-in at an identity provider that begins. */
export async function keepAttempt(platform: Platform, attempt: OidcAttempt): Promise<void> {
  await directoryOf(platform).oidcAttempt.createMany({ data: [attempt] });
}

/** Uses it up. Null where it is unknown, was used, has expired, or was begun in another browser or environment. */
export async function takeAttempt(
  platform: Platform,
  named: Pick<OidcAttempt, 'hash' | 'browserHash' | 'environment'>,
): Promise<OidcAttempt | null> {
  const { oidcAttempt } = directoryOf(platform);
  const found = await oidcAttempt.findUnique({ where: { hash: named.hash } });
  const { count } = await oidcAttempt.deleteMany({ where: { ...named, expiresAt: { gt: platform.clock.now() } } });
  return count === 1 ? found : null;
}

/** The passkey that an authenticator calls by this name, with its member. */
export async function passkeyByCredential(platform: Platform, credentialId: string): Promise<(Passkey & { member: Member }) | null> {
  const cell = platform.cells.only === undefined ? await cellOfPasskey(platform, credentialId) : undefined;
  return doorOf(platform, cell).passkey.findUnique({ where: { credentialId }, include: { member: true } });
}

/** What an authenticator is asked to sign, for whom: null for whoever it will be. */
export interface Challenge {
  hash: Buffer<ArrayBuffer>;
  purpose: string;
  memberId: string | null;
}

/** Keeps a challenge until it is used, for five minutes at most. */
export async function keepChallenge(platform: Platform, challenge: Challenge): Promise<void> {
  const expiresAt = addSeconds(platform.clock.now(), challengeSeconds);
  await directoryOf(platform).passkeyChallenge.createMany({ data: [{ ...challenge, expiresAt }] });
}
const challengeSeconds = 300;

/** Uses a challenge up. False where it is unknown, was used, has expired, or is for something or somebody else. */
export async function takeChallenge(platform: Platform, challenge: Challenge): Promise<boolean> {
  const unused = { where: { ...challenge, expiresAt: { gt: platform.clock.now() } } };
  const { count } = await directoryOf(platform).passkeyChallenge.deleteMany(unused);
  return count === 1;
}

/** The half of a tenant in which its people work at a listener, and its cell. */
export async function placeAt(
  { cells }: Platform,
  tenantId: string,
  environment: Environment,
): Promise<Pick<Ctx, 'platform' | 'workspace'>> {
  const platform = cells.only ?? (await cells.find({ tenantId }));
  const where = { tenantId_environment: { tenantId, environment } };
  return { platform, workspace: workspaceOf(await platform.database.unscoped.workspace.findUniqueOrThrow({ where })) };
}

/** The names of tenants. */
export async function tenantNames(platform: Platform, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  const select = { id: true, name: true };
  const found = await inCellsOf(platform, ids, (door, tenants) => door.tenant.findMany({ where: { id: { in: tenants } }, select }));
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Gap G-474: An ended browser session and a used or expired link are forgotten after 30 days. */
const keptSeconds = 30 * 86_400;

/** Deletes browser sessions and recoveries that ended long ago, and failures that no longer count; how many. For the worker. */
export async function sweepPeople({ database: { unscoped }, clock }: Platform, most = 1_000): Promise<number> {
  const at = clock.now();
  const ended = { expiresAt: { lte: addSeconds(at, -keptSeconds) } };
  const logins = await unscoped.login.deleteMany({ where: ended, limit: most });
  const recoveries = await unscoped.recovery.deleteMany({ where: ended, limit: most });
  const failures = await unscoped.signInFailure.deleteMany({ where: { since: { lte: addSeconds(at, -3_600) } }, limit: most });
  const attempts = await unscoped.oidcAttempt.deleteMany({ where: { expiresAt: { lte: at } }, limit: most });
  const challenges = await unscoped.passkeyChallenge.deleteMany({ where: { expiresAt: { lte: at } }, limit: most });
  return logins.count + recoveries.count + failures.count + challenges.count + attempts.count;
}
