// Browser sessions: a row behind a cookie, good for one tenant in one environment (CONTRACT.md 22). They live in real time.
import type { Login, Member, SignInMethod } from '../../generated/prisma/client.js';
import type { Browser } from '../../platform/browser.js';
import { markOf, newTokenIn } from '../../platform/cell/mark.js';
import { addSeconds } from '../../platform/clock.js';
import { sha256 } from '../../platform/crypto.js';
import type { Act, Actor, Ctx, SignInMethod as Method, Platform, Workspace } from '../../platform/ctx.js';
import { NotFound, PersonRequired } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { createCtx } from '../../platform/request.js';
import { newId, parseId } from '../../platform/schema/id.js';
import { scopesOf } from '../../platform/scope.js';
import { foreignPage } from './errors.js';
import { authorityOf } from './grant.js';
import { loginByHash, placeAt, tenantNames } from './lookup.js';
import { methodsOfMembers, settingsIn } from './sign-in-setting.js';

/** What somebody who signed in is told. */
export interface SignIn {
  member: Member & { methods: readonly Method[] };
  login: Login;
  tenantId: string;
  environment: Workspace['environment'];
  csrfToken: string;
  expiresAt: Date;
  /** The tenants to which the person may switch, this one among them. */
  tenants: { id: string; name: string }[];
}

/** The token that a request of a session carries beside the cookie: no page of another origin can read it. */
export function csrfTokenOf({ vault }: Platform, loginId: string): string {
  return vault.sign(csrfPurpose, loginId).toString('base64url');
}

/** True for the token of a session, by whichever key it was made. */
export function isCsrfToken({ vault }: Platform, loginId: string, token: string): boolean {
  return vault.isSigned(csrfPurpose, loginId, Buffer.from(token, 'base64url'));
}

const csrfPurpose = 'csrf token';

/** The browser that may be given a session. 403 `forbidden` for a page of another origin. */
export function requireBrowser({ browser }: Ctx): Browser {
  if (browser === undefined || browser.isForeign) throw foreignPage();
  return browser;
}

/** The person who asks. 403 `person_required` for everybody else. */
export function requirePerson({ actor }: Ctx): Required<Pick<Actor, 'member'>> & Actor {
  if (actor.member === undefined || actor.credential.kind !== 'login')
    throw new PersonRequired('Only a person who signed in in a browser may do this.');
  return { ...actor, member: actor.member };
}

/** A session that begins. */
export interface NewLogin {
  member: Member;
  method: SignInMethod;
  /** The members that the person has proved to be, this one among them. */
  proven: readonly Pick<Member, 'id' | 'tenantId'>[];
  /** Of an identity provider: when the person proved there who he is; null where it does not say. */
  authenticatedAt?: Date | null;
  /** When the person signed in, and when the session ends at the latest; by default now, and when the tenant says. */
  since?: Pick<Login, 'signedInAt' | 'expiresAt'>;
  /** What is written with it, in its transaction. */
  work?: (asMember: Ctx, tx: Tx) => Promise<void>;
  action: string;
}

/**
 * Begins a session in the browser that asks, under an id that nobody has known before; the one that the browser had ends. Returns what the
 * person is told.
 */
export async function beginLogin(
  ctx: Ctx,
  { member, method, proven, since, authenticatedAt = null, work, action }: NewLogin,
): Promise<SignIn> {
  const browser = requireBrowser(ctx);
  const { workspace: here } = ctx;
  const { platform, workspace } = await placeAt(ctx.platform, member.tenantId, here.environment);
  const at = platform.clock.now();
  const cookie = newTokenIn(platform, '', workspace.id);
  const { idleSeconds, absoluteSeconds } = await settingsIn(platform.database.forWorkspace(workspace.id, member.tenantId));
  const { signedInAt, expiresAt } = since ?? { signedInAt: at, expiresAt: addSeconds(at, absoluteSeconds) };
  const data = {
    id: newId(at),
    memberId: member.id,
    environment: here.environment,
    hash: sha256(cookie),
    method,
    provenIds: proven.map(({ id }) => id),
    signedInAt,
    authenticatedAt,
    lastSeenAt: at,
    idleSeconds,
    expiresAt,
    ip: ctx.ip,
    userAgent: browser.userAgent,
  };
  const asMember = ctxOf(
    { ...ctx, platform },
    actorOf({ ...data, tenantId: member.tenantId }, member, { methods: [], environment: here.environment }),
    workspace,
    {
      action,
      resourceType: 'login',
    },
  );
  const login = await transact(asMember, async (tx) => {
    await work?.(asMember, tx);
    const row = await tx.login.create({ data });
    await tx.member.updateMany({ where: { id: member.id }, data: { lastSeenAt: at } });
    return row;
  });
  const methods = (await methodsOfMembers(asMember.db, [member.id])).get(member.id) ?? [];
  await endBefore(ctx, browser);
  browser.setCookie('session', cookie, Math.floor((expiresAt.getTime() - at.getTime()) / 1000));
  const { tenantId, environment } = login;
  const tenants = await tenantNames(
    platform,
    proven.map((one) => one.tenantId),
  );
  return { member: { ...member, methods }, login, tenantId, environment, csrfToken: csrfTokenOf(platform, login.id), expiresAt, tenants };
}

/** What an actor needs of a session. */
type ActingLogin = Pick<Login, 'id' | 'tenantId' | 'method' | 'signedInAt' | 'authenticatedAt'>;

/** Long ago. */
const never = new Date(0);

/** Who acts by a session. */
export function actorOf(
  login: ActingLogin,
  { id, name, role, authorityMax, authorityCurrency }: Member,
  { methods, environment }: { methods: readonly Method[]; environment: Workspace['environment'] },
): Actor {
  const authority = authorityOf({ authorityMax, authorityCurrency });
  return {
    type: 'member',
    id,
    name,
    scopes: scopesOf(role, environment, authority !== null),
    credential: { kind: 'login', id: login.id },
    member: { id, name, role, authority, methods: stepUpMethods(login, methods), signedInAt: provenAt(login, methods) },
  };
}

/** When the person behind a session proved who he is, as far as that counts for a step-up. */
function provenAt({ method, signedInAt, authenticatedAt }: ActingLogin, methods: readonly Method[]): Date {
  // Gap G-515: A sign-in at a provider is a step-up as of its `auth_time`; without one it is none.
  // A provider signs in without asking whoever has a session there, so what counts is when it did ask.
  if (method === 'oidc') return authenticatedAt ?? never;
  // Who has a passkey steps up with it: that a password was given is not enough.
  return method === 'password' && methods.includes('passkey') ? never : signedInAt;
}

/** By which a person steps up: a passkey where there is one, and the provider where the session came from it. */
function stepUpMethods({ method }: ActingLogin, methods: readonly Method[]): readonly Method[] {
  if (method === 'oidc') return methods.filter((one) => one !== 'password');
  if (methods.includes('passkey')) return ['passkey'];
  return methods.includes('password') ? ['password'] : methods;
}

/** The ctx of a request that goes on as a member. */
export function ctxOf({ platform, requestId, ip, effect, browser }: Ctx, actor: Actor, workspace: Workspace, act: Act): Ctx {
  return createCtx(platform, { actor, workspace }, { requestId, ip, effect, act, ...(browser && { browser }) });
}

/** Ends the sessions of a member, in the transaction of what ends them. */
export async function endLogins({ platform }: Ctx, tx: Tx, memberId: string): Promise<void> {
  await tx.login.updateMany({ where: { memberId, endedAt: null }, data: { endedAt: platform.clock.now() } });
}

/** Ends the session that the browser had until now, whoever asks: its cookie is worth nothing after a sign-in. */
async function endBefore({ platform: { cells } }: Ctx, browser: Browser): Promise<void> {
  const cookie = browser.cookie('session');
  if (cookie === undefined) return;
  const platform = cells.only ?? (await cells.find(markOf(cookie, '')));
  const before = await loginByHash(platform, sha256(cookie));
  if (before === null || before.endedAt !== null) return;
  const { workspace } = await placeAt(platform, before.tenantId, before.environment);
  const own = platform.database.forWorkspace(workspace.id, before.tenantId);
  await own.login.updateMany({ where: { id: before.id }, data: { endedAt: platform.clock.now() } });
  platform.cache.drop(`login:${before.id}`);
}

/** The session that asks; null where none does. */
export function currentLogin({ actor, db }: Ctx): Promise<Login | null> | null {
  return actor.credential.kind === 'login' ? db.login.findFirst({ where: { id: actor.credential.id } }) : null;
}

/** Sessions in a list. */
export const mostLogins = 100;

/** The live sessions of the person who asks, newest first; none of anybody else. */
export async function ownLogins(ctx: Ctx): Promise<Login[]> {
  const { member } = ctx.actor;
  if (member === undefined) return [];
  const at = ctx.platform.clock.now();
  const rows = await ctx.db.login.findMany({
    where: { memberId: member.id, endedAt: null, expiresAt: { gt: at } },
    orderBy: { id: 'desc' },
    take: mostLogins,
  });
  return rows.filter((row) => addSeconds(row.lastSeenAt, row.idleSeconds) > at);
}

/** Signs out: ends a session of the person who asks, `current` for this one, at once and in every process. 404 for any other. */
export async function endLogin(ctx: Ctx, named: string): Promise<{ id: string }> {
  const { member, credential } = ctx.actor;
  const id = named === 'current' ? credential.id : parseId('login', named);
  if (id === null || member === undefined) throw new NotFound();
  const act: Act = { action: 'endBrowserSession', resourceType: 'login', resourceId: id };
  const ended = await transact({ ...ctx, act }, async (tx) => {
    const { count } = await tx.login.updateMany({
      where: { id, memberId: member.id, endedAt: null },
      data: { endedAt: ctx.platform.clock.now() },
    });
    if (count === 0) throw new NotFound();
    return { id };
  });
  ctx.platform.cache.drop(`login:${id}`);
  if (id === credential.id) ctx.browser?.dropCookie('session');
  return ended;
}
