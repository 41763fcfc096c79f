// How people sign in to a tenant (CONTRACT.md 22, 29): with what, for how long, and at which identity provider. Owners say it.
import type { Member, SignInSetting, SignInWay } from '../../generated/prisma/client.js';
import { SignInFailed } from '../../platform/credential.js';
import type { Ctx, Platform, SignInMethod } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Db, Tx } from '../../platform/postgres/database.js';
import { isUniqueViolation } from '../../platform/postgres/failure.js';
import { requireStepUp } from '../../platform/step-up.js';
import { LastOwner, SlugTaken } from './errors.js';
import { checkOwner, lockPeople } from './grant.js';
import { boundLogins } from './login-bound.sql.js';
import { settingOfSlug, settingsOfTenants } from './lookup.js';
import { checkProvider, type OidcClient } from './oidc-client.js';
import type { SignInSettingsInput } from './sign-in-setting.input.js';
import { claimSlug, settleSlug } from './slug-place.js';

export interface SignInSettings {
  /** What the tenant is called in the addresses of its sign-in; null: it has no sign-in of its own. */
  slug: string | null;
  methods: readonly SignInWay[];
  /** How long a session lives without use, and at most. */
  idleSeconds: number;
  absoluteSeconds: number;
  oidc: OidcClient | null;
}

const defaults: SignInSettings = {
  slug: null,
  methods: ['password', 'passkey', 'api_key'],
  idleSeconds: 3_600,
  absoluteSeconds: 43_200,
  oidc: null,
};

/** The settings of a row; the defaults where there is none. */
export function settingsOf(row: SignInSetting | null | undefined): SignInSettings {
  if (row == null) return defaults;
  const { slug, methods, idleSeconds, absoluteSeconds, issuer, clientId } = row;
  return { slug, methods, idleSeconds, absoluteSeconds, oidc: issuer === null || clientId === null ? null : { issuer, clientId } };
}

/** The settings of the tenant of a client. */
export async function settingsIn(db: Db | Tx): Promise<SignInSettings> {
  return settingsOf(await db.signInSetting.findFirst());
}

/** The settings of the tenant. Their secret is never shown. */
export function signInSettings({ db }: Pick<Ctx, 'db'>): Promise<SignInSettings> {
  return settingsIn(db);
}

/** 401 `sign_in_failed` where a tenant does not let people sign in by a method. */
export async function checkMethod(platform: Platform, tenantId: string, method: SignInWay): Promise<void> {
  const [row] = await settingsOfTenants(platform, [tenantId]);
  if (!settingsOf(row).methods.includes(method)) throw new SignInFailed();
}

/** Those of some members whose tenants let them sign in by a method. */
export async function withMethod<Of extends Pick<Member, 'tenantId'>>(
  platform: Platform,
  members: readonly Of[],
  method: SignInWay,
): Promise<Of[]> {
  const rows = await settingsOfTenants(
    platform,
    members.map(({ tenantId }) => tenantId),
  );
  const of = new Map(rows.map((row) => [row.tenantId, row]));
  return members.filter(({ tenantId }) => settingsOf(of.get(tenantId)).methods.includes(method));
}

/** The secret that we show to the provider of a row. */
export function secretOf({ vault }: Platform, { tenantId, clientSecret }: SignInSetting): string {
  return vault.open(clientSecret as Uint8Array, tenantId);
}

/** What somebody has to sign in with. */
export interface Held {
  password: boolean;
  passkey: boolean;
  /** Of the identity at a provider; null without one. */
  issuer: string | null;
}

/** By which of what somebody has he can sign in now. */
export function openMethods({ methods, oidc }: SignInSettings, { password, passkey, issuer }: Held): SignInMethod[] {
  const has: Readonly<Record<SignInMethod, boolean>> = { password, passkey, oidc: issuer !== null && issuer === oidc?.issuer };
  return (Object.keys(has) as SignInMethod[]).filter((method) => has[method] && methods.includes(method));
}

/** By which some members can sign in now. */
export async function methodsOfMembers(db: Db | Tx, ids: readonly string[]): Promise<Map<string, SignInMethod[]>> {
  const settings = await settingsIn(db);
  const of = { where: { memberId: { in: [...ids] } }, select: { memberId: true } };
  const passwords = new Set((await db.password.findMany(of)).map(({ memberId }) => memberId));
  const passkeys = new Set((await db.passkey.findMany({ ...of, distinct: ['memberId'] })).map(({ memberId }) => memberId));
  const identities = await db.oidcIdentity.findMany({ ...of, select: { memberId: true, issuer: true } });
  const issuers = new Map(identities.map(({ memberId, issuer }) => [memberId, issuer]));
  return new Map(
    ids.map((id) => [
      id,
      openMethods(settings, { password: passwords.has(id), passkey: passkeys.has(id), issuer: issuers.get(id) ?? null }),
    ]),
  );
}

// Gap G-505: An owner counts for `last_owner` as long as he can sign in by the settings of the tenant.
/** 409 `last_owner` where no active owner could sign in any more. */
export async function checkOwnerStays(tx: Tx): Promise<void> {
  const owners: Pick<Member, 'id'>[] = await tx.member.findMany({ where: { role: 'owner', status: 'active' }, select: { id: true } });
  const methods = await methodsOfMembers(
    tx,
    owners.map(({ id }) => id),
  );
  if (![...methods.values()].some(({ length }) => length > 0)) throw new LastOwner();
}

/**
 * Says how people sign in from now on. Owners who have just signed in do. The provider of a company is asked for its configuration first: 400
 * where it has none. 409 `state_conflict` where no owner could sign in any more, `already_exists` for the slug of somebody else.
 */
export async function setSignInSettings(ctx: Ctx, input: SignInSettingsInput): Promise<SignInSettings> {
  const { platform, workspace } = ctx;
  await checkOwner(ctx, ctx.db);
  requireStepUp(ctx);
  const wanted = readSettings(input);
  const before = await ctx.db.signInSetting.findFirst();
  const oidc = wanted.oidc === null ? null : { ...wanted.oidc, ...(await issuerOf(ctx, wanted.oidc, before)) };
  const clientSecret = oidc === null ? null : secretFor(platform, { ...oidc, given: input.oidc?.clientSecret }, before);
  const sealed = clientSecret === null ? null : platform.vault.seal(clientSecret, workspace.tenantId);
  const { slug, methods, idleSeconds, absoluteSeconds } = wanted;
  const row = {
    slug,
    methods: [...methods],
    idleSeconds,
    absoluteSeconds,
    issuer: oidc?.issuer ?? null,
    clientId: oidc?.clientId ?? null,
    clientSecret: sealed,
  };
  await writeSettings(ctx, row);
  return signInSettings(ctx);
}

type Written = Omit<SignInSetting, 'tenantId' | 'updatedAt'>;

async function writeSettings(ctx: Ctx, row: Written): Promise<void> {
  const { platform, workspace, actor } = ctx;
  const other = row.slug === null ? null : await settingOfSlug(platform, row.slug);
  if (other !== null && other.tenantId !== workspace.tenantId) throw new SlugTaken();
  if (!(await claimSlug(platform, workspace.tenantId, row.slug))) throw new SlugTaken();
  const work = async (tx: Tx) => {
    await lockPeople(ctx, tx);
    await checkOwner(ctx, tx);
    await tx.signInSetting.deleteMany();
    await tx.signInSetting.createMany({ data: [{ ...row, updatedAt: platform.clock.now() }] });
    await checkOwnerStays(tx);
    // Gap G-506: New settings bind sessions that are there: shorter ones at once, and none by a method that is off but the one that asks.
    const but = actor.credential.kind === 'login' ? actor.credential.id : null;
    await boundLogins(tx, { ...row, tenantId: workspace.tenantId, at: platform.clock.now(), but });
  };
  try {
    await transact(ctx, work, () => workspace.tenantId);
  } catch (error) {
    if (isUniqueViolation(error)) throw new SlugTaken();
    throw error;
  }
  await settleSlug(platform, workspace.tenantId, row.slug);
  platform.cache.drop(`sign_in:${workspace.tenantId}`);
}

/** What a request says, with the defaults; 400 for what does not fit together. */
function readSettings({ slug = null, methods, idleSeconds, absoluteSeconds, oidc = null }: SignInSettingsInput): SignInSettings {
  const refuse = (path: string, message: string, rule: string): never => {
    throw new ValidationFailed([{ path: [path], message, rule }]);
  };
  const idle = idleSeconds ?? defaults.idleSeconds;
  const absolute = absoluteSeconds ?? defaults.absoluteSeconds;
  if (new Set(methods).size < methods.length) refuse('methods', 'must name each method once', 'unique');
  if (methods.every((method) => method === 'api_key')) refuse('methods', 'must have one by which people sign in', 'required');
  if (idle > absolute) refuse('idleSeconds', 'must be at most absolute_seconds', 'max');
  if (methods.includes('oidc') && oidc === null) refuse('oidc', 'is required where methods has oidc', 'required');
  if (oidc !== null && slug === null) refuse('slug', 'is required with oidc: it stands in the address of the sign-in', 'required');
  return { slug, methods, idleSeconds: idle, absoluteSeconds: absolute, oidc };
}

/** The provider as it calls itself. One that is there already is not asked again: it may be out of order right now. */
async function issuerOf(ctx: Ctx, { issuer }: OidcClient, before: SignInSetting | null): Promise<{ issuer: string }> {
  return { issuer: before?.issuer === issuer ? issuer : await checkProvider(ctx, issuer) };
}

// Gap G-507: Without `client_secret` the one of the same issuer and client stays.
function secretFor(
  platform: Platform,
  { issuer, clientId, given }: OidcClient & { given?: string | null | undefined },
  before: SignInSetting | null,
): string {
  if (given != null) return given;
  if (before !== null && before.issuer === issuer && before.clientId === clientId) return secretOf(platform, before);
  throw new ValidationFailed([{ path: ['oidc', 'clientSecret'], message: 'is required for a new issuer or client', rule: 'required' }]);
}

/** Lets people sign in with passwords, passkeys and keys again, beside what was open: for whoever is locked out. At the command line. */
export async function resetSignIn(ctx: Ctx): Promise<SignInSettings> {
  const row = await ctx.db.signInSetting.findFirst();
  if (row === null) return defaults;
  const { tenantId: _tenant, updatedAt: _at, ...kept } = row;
  await writeSettings(ctx, { ...kept, methods: [...new Set<SignInWay>([...defaults.methods, ...row.methods])] });
  return signInSettings(ctx);
}
