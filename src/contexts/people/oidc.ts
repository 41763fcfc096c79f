// Signing in at the identity provider of a company (CONTRACT.md 22, 29; decision 0081). Who signs in is a subject of an issuer in a tenant,
// bound to a member when he joins by it or adds it; no e-mail counts. A round is good once, in the browser that began it, for ten minutes.
import type { Member, SignInSetting } from '../../generated/prisma/client.js';
import type { Browser } from '../../platform/browser.js';
import { addSeconds } from '../../platform/clock.js';
import { SignInFailed } from '../../platform/credential.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { noteFailedSignIn } from '../../platform/denial.js';
import { ApiError, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { requireStepUp } from '../../platform/step-up.js';
import { joinWith, linkOf, readSaid, type WriteMethod } from './join.js';
import { shownLink } from './link.js';
import { beginLogin, requireBrowser, requirePerson } from './login.js';
import { keepAttempt, placeAt, settingOfSlug, settingsOfTenants, takeAttempt } from './lookup.js';
import { forget } from './member.js';
import type { OidcRoundInput } from './oidc.input.js';
import { authorizationUrl, newRound, type OidcClient, type Round, readSubject, reasonOf, type Subject } from './oidc-client.js';
import { readReturnTo } from './return-to.js';
import { secretOf, settingsOf } from './sign-in-setting.js';

/** How long a round may take. */
const roundSeconds = 600;
/** What the clock of a provider may be off. */
const toleranceSeconds = 30;

type Purpose = OidcRoundInput['purpose'];

/** Whom a round is about, before anybody has signed in. */
interface About {
  tenantId: string;
  /** Who is signed in and steps up, or adds what he signs in with. */
  memberId?: string;
  /** The link that is taken up: SHA-256 of its token in base64. */
  link?: string;
  name?: string;
  email?: string;
}

/** What is kept of a round until the browser comes back. */
interface Kept extends About, Round, OidcClient {
  purpose: Purpose;
  returnTo: string;
  begunAt: number;
}

const cookieOf = (state: string) => `oidc_${state.slice(0, 16)}` as const;

/** The settings of a tenant whose people sign in at a provider. 401 `sign_in_failed` for every other one. */
function openSetting(row: SignInSetting | null | undefined): { row: SignInSetting; slug: string; oidc: OidcClient } {
  const { slug, oidc, methods } = settingsOf(row);
  if (row == null || slug === null || oidc === null || !methods.includes('oidc')) throw new SignInFailed();
  return { row, slug, oidc };
}

const settingOf = async (platform: Platform, tenantId: string) => openSetting((await settingsOfTenants(platform, [tenantId]))[0]);

/** Begins a round: gives the browser its cookie, and says where it goes. 401 `sign_in_failed` where the tenant has no provider, or none that answers. */
export async function beginOidc(ctx: Ctx, input: OidcRoundInput): Promise<{ redirectTo: string }> {
  const { platform, workspace: here } = ctx;
  const browser = requireBrowser(ctx);
  const { purpose } = input;
  const returnTo = readReturnTo(input.returnTo);
  const about = await aboutOf(ctx, input);
  const { slug, oidc } = await settingOf(platform, about.tenantId);
  const { workspace } = await placeAt(platform, about.tenantId, here.environment);
  const state = newToken('');
  const round = await newRound(`${browser.origin}/v1/login/oidc/${slug}/callback`, state);
  const redirectTo = await authorizationUrl({ platform, workspace }, oidc, round, purpose === 'step_up').catch((error: unknown) =>
    fail(ctx, about, error),
  );
  const at = platform.clock.now();
  const cookie = newToken('');
  const kept: Kept = { ...about, ...round, ...oidc, purpose, returnTo, begunAt: at.getTime() };
  const hash = sha256(state);
  await keepAttempt(platform, {
    hash,
    tenantId: about.tenantId,
    environment: here.environment,
    browserHash: sha256(cookie),
    sealed: platform.vault.seal(JSON.stringify(kept), hash.toString('base64')),
    expiresAt: addSeconds(at, roundSeconds),
  });
  browser.setCookie(cookieOf(state), cookie, roundSeconds);
  return { redirectTo };
}

async function aboutOf(ctx: Ctx, { purpose, slug, token, name, email }: OidcRoundInput): Promise<About> {
  if (purpose === 'sign_in') {
    const { tenantId } = openSetting(await settingOfSlug(ctx.platform, required('slug', slug))).row;
    return { tenantId };
  }
  if (purpose === 'join') {
    const shown = shownLink(required('token', token));
    const { invitation, recovery } = await linkOf(ctx, shown);
    const link = shown.hash.toString('base64');
    if (invitation === undefined) return { tenantId: recovery.tenantId, link };
    return { tenantId: invitation.tenantId, link, ...readSaid(invitation, { name, email }) };
  }
  const { member } = requirePerson(ctx);
  if (purpose === 'add') requireStepUp(ctx);
  return { tenantId: ctx.workspace.tenantId, memberId: member.id };
}

function required(path: string, given: string | null | undefined): string {
  if (given == null) throw new ValidationFailed([{ path: [path], message: 'is required', rule: 'required' }]);
  return given;
}

/** The 401, noted in the log of the tenant and, with its reason, in that of the process. */
async function fail(ctx: Ctx, { tenantId }: Pick<About, 'tenantId'>, error: unknown): Promise<never> {
  const { platform, workspace } = await placeAt(ctx.platform, tenantId, ctx.workspace.environment);
  noteFailedSignIn(platform, ctx, `oidc ${tenantId}`, { workspaceId: workspace.id });
  ctx.log.warn({ tenantId, reason: reasonOf(error) }, 'a sign-in at an identity provider failed');
  throw new SignInFailed(error);
}

/**
 * Ends a round with what the browser has brought back to the address of a tenant, and returns the page that it goes on to. Whatever is wrong
 * with it is 401 `sign_in_failed`, and ends this round alone.
 */
export async function finishOidc(ctx: Ctx, slug: string, query: string): Promise<{ returnTo: string }> {
  const { platform, workspace: here } = ctx;
  const browser = requireBrowser(ctx);
  const kept = await takeRound(ctx, browser, new URLSearchParams(query).get('state') ?? '');
  try {
    const { row, oidc, slug: own } = await settingOf(platform, kept.tenantId);
    // The answer of another tenant's provider, or one to settings that have changed meanwhile.
    if (own !== slug || oidc.issuer !== kept.issuer || oidc.clientId !== kept.clientId) throw new Error('the answer is for another tenant');
    const { workspace } = await placeAt(platform, kept.tenantId, here.environment);
    const subject = await readSubject({ platform, workspace }, { ...oidc, secret: secretOf(platform, row) }, kept, query);
    await goOn(ctx, kept, subject);
    return kept;
  } catch (error) {
    if (error instanceof ApiError && !(error instanceof SignInFailed)) throw error;
    return fail(ctx, kept, error);
  }
}

/** The round that a browser has begun; it is used up, and its cookie is taken away. */
async function takeRound({ platform, workspace }: Ctx, browser: Browser, state: string): Promise<Kept> {
  const cookie = browser.cookie(cookieOf(state));
  if (cookie === undefined) throw new SignInFailed();
  browser.dropCookie(cookieOf(state));
  const hash = sha256(state);
  const attempt = await takeAttempt(platform, { hash, browserHash: sha256(cookie), environment: workspace.environment });
  if (attempt === null) throw new SignInFailed();
  return JSON.parse(platform.vault.open(attempt.sealed, hash.toString('base64'))) as Kept;
}

/** Does what the round was begun for. */
async function goOn(ctx: Ctx, kept: Kept, subject: Subject): Promise<unknown> {
  const { purpose, link = '', name, email } = kept;
  if (purpose === 'sign_in') return signInAs(ctx, await memberOf(ctx, kept, subject), subject, 'signIn');
  if (purpose === 'step_up') return stepUp(ctx, kept, subject);
  if (purpose === 'add') return addIdentity(ctx, kept, subject);
  const prepare = async (): Promise<WriteMethod> => (asMember, tx, memberId) => bind(tx, memberId, subject, asMember.platform.clock.now());
  const { authenticatedAt } = subject;
  const shown = { hash: Buffer.from(link, 'base64') as Buffer<ArrayBuffer>, trace: { tenantId: kept.tenantId } };
  return joinWith(ctx, { shown, name, email }, { method: 'oidc', authenticatedAt, prepare });
}

/** The member of a tenant whom its provider means. */
async function memberOf(ctx: Ctx, { tenantId }: Kept, { issuer, subject }: Subject): Promise<Member> {
  const { platform, workspace } = await placeAt(ctx.platform, tenantId, ctx.workspace.environment);
  const { id } = workspace;
  const db = platform.database.forWorkspace(id, tenantId);
  const found = await db.oidcIdentity.findFirst({ where: { issuer, subject }, include: { member: true } });
  if (found === null || found.member.status !== 'active') throw new SignInFailed();
  return found.member;
}

function signInAs(ctx: Ctx, member: Member, { issuer, subject, authenticatedAt }: Subject, action: string): Promise<unknown> {
  return beginLogin(ctx, {
    member,
    method: 'oidc',
    // What a provider of one tenant says holds in that tenant alone.
    proven: [member],
    authenticatedAt,
    action,
    work: async (asMember, tx) => {
      const data = { lastUsedAt: asMember.platform.clock.now() };
      const { count } = await tx.oidcIdentity.updateMany({ where: { memberId: member.id, issuer, subject }, data });
      if (count === 0) throw new SignInFailed();
    },
  });
}

/** The person who is signed in here, once more: the provider must have asked since the round began. */
async function stepUp(ctx: Ctx, kept: Kept, subject: Subject): Promise<unknown> {
  const { authenticatedAt } = subject;
  if (authenticatedAt === null || authenticatedAt < addSeconds(new Date(kept.begunAt), -toleranceSeconds))
    throw new Error('the provider has not asked who it is');
  const member = await memberOf(ctx, kept, subject);
  if (!isHere(ctx, kept) || member.id !== kept.memberId) throw new SignInFailed();
  return signInAs(ctx, member, subject, 'stepUp');
}

/** True where the person who began the round is still signed in in this browser. */
function isHere({ actor, workspace }: Ctx, { memberId, tenantId }: Kept): boolean {
  return actor.member !== undefined && actor.member.id === memberId && workspace.tenantId === tenantId;
}

/** The person who is signed in here signs in at the provider too from now on. */
async function addIdentity(ctx: Ctx, kept: Kept, subject: Subject): Promise<void> {
  const { memberId = '' } = kept;
  if (!isHere(ctx, kept)) throw new SignInFailed();
  const act = { action: 'addIdentity', resourceType: 'member', resourceId: memberId };
  const at = ctx.platform.clock.now();
  await transact(
    { ...ctx, act },
    (tx) => bind(tx, memberId, subject, at),
    () => memberId,
  );
  forget(ctx, memberId);
}

// Gap G-510: A member has one identity at a provider; a new one takes its place. A subject that is another member's is refused.
async function bind(tx: Tx, memberId: string, { issuer, subject }: Subject, at: Date): Promise<void> {
  if ((await tx.oidcIdentity.findFirst({ where: { issuer, subject, memberId: { not: memberId } } })) !== null) throw new SignInFailed();
  await tx.oidcIdentity.deleteMany({ where: { memberId } });
  await tx.oidcIdentity.createMany({ data: [{ memberId, issuer, subject, createdAt: at, lastUsedAt: at }] });
}
