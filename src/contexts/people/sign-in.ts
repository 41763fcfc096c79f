// Signing in with e-mail and password, and once more before what cannot be taken back (CONTRACT.md 22, 29). Nothing tells an unknown e-mail
// from a wrong password or a suspended member: one code, by the same work.
import { addSeconds } from '../../platform/clock.js';
import { SignInFailed } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { noteFailedSignIn } from '../../platform/denial.js';
import { NotFound, RateLimitExceeded, ValidationFailed } from '../../platform/errors.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { emailKeyOf } from './email.js';

import { beginLogin, requireBrowser, requirePerson, type SignIn } from './login.js';
import { type MemberWithPassword, membersOf, membersWithEmail, placeAt } from './lookup.js';
import { matchPassword } from './password.js';
import type { SignInInput } from './sign-in.input.js';
import { giveFailureBack, takeFailure } from './sign-in-failure.sql.js';
import { withMethod } from './sign-in-setting.js';

/** Sign-ins by password that may fail within an hour, for one e-mail. */
const mostFailures = 10;
const failureSeconds = 3_600;

/** Members whose password was right, and the string that stands for it now. */
interface Proven {
  members: readonly MemberWithPassword[];
  phc: string;
}

// Gap G-477: Failures are counted in windows of an hour, which begins with the first; a sign-in that succeeds counts for none.
/** Who somebody is by e-mail and password, in every tenant. 429 after ten failures in an hour; 401 `sign_in_failed`. */
async function prove(ctx: Ctx, email: string, password: string, isMeant: (member: MemberWithPassword) => boolean): Promise<Proven> {
  const { platform } = ctx;
  const { pool } = platform.cells.directory.database;
  const emailKey = emailKeyOf(email);
  const emailHash = sha256(emailKey);
  const at = platform.clock.now();
  const since = await takeFailure(pool, emailHash, at, mostFailures);
  if (since !== null) {
    const seconds = (addSeconds(since, failureSeconds).getTime() - at.getTime()) / 1000;
    throw new RateLimitExceeded(Math.max(1, Math.ceil(seconds)));
  }
  const known = await membersWithEmail(platform, emailKey);
  const stored = known.flatMap((one) => (one.password === null ? [] : [one.password.phc]));
  const { fitting, phc } = await matchPassword(platform, emailKey, password, stored).catch(async (error) => {
    await giveFailureBack(pool, emailHash);
    throw error;
  });
  const right = known.filter((one) => one.password !== null && fitting.has(one.password.phc));
  const members = await withMethod(platform, right, 'password');
  if (!members.some(isMeant)) {
    await noteFailure(ctx, known, emailHash);
    throw new SignInFailed();
  }
  await giveFailureBack(pool, emailHash);
  return { members, phc };
}

/** Signs in with e-mail and password. `tenant` chooses among the tenants of the person; the one that was used last by default. */
export async function signIn(ctx: Ctx, { email, password, tenant }: SignInInput): Promise<SignIn> {
  requireBrowser(ctx);
  const tenantId = tenant == null ? undefined : parseAnyId(tenant);
  if (tenantId === null) throw new ValidationFailed([{ path: ['tenant'], message: 'must be the id of a tenant', rule: 'format' }]);
  const isMeant = (member: MemberWithPassword) => tenantId === undefined || member.tenantId === tenantId;
  const proven = await prove(ctx, email, password, isMeant);
  return begin(ctx, proven, proven.members.find(isMeant) as MemberWithPassword, 'signIn');
}

/** Signs the person who asks in once more, by the password: a new session takes the place of the one that asks. */
export async function stepUp(ctx: Ctx, { password }: { password: string }): Promise<SignIn> {
  requireBrowser(ctx);
  const { member } = requirePerson(ctx);
  const own = await ctx.db.member.findFirst({ where: { id: member.id } });
  if (own === null) throw new NotFound();
  // Who has a passkey steps up with it, and whoever came from a provider goes there again.
  if (!member.methods.includes('password')) throw new SignInFailed();
  const isMeant = ({ id }: MemberWithPassword) => id === own.id;
  const proven = await prove(ctx, own.email, password, isMeant);
  return begin(ctx, proven, proven.members.find(isMeant) as MemberWithPassword, 'stepUp');
}

function begin(ctx: Ctx, { members, phc }: Proven, member: MemberWithPassword, action: string): Promise<SignIn> {
  return beginLogin(ctx, {
    member,
    method: 'password',
    proven: members,
    action,
    // A password that was replaced while this one was looked at proves nothing. What is stored is computed anew where its parameters are no
    // longer those of today.
    work: async (_asMember, tx) => {
      const proved = { memberId: member.id, phc: member.password?.phc ?? '' };
      const { count } = await tx.password.updateMany({ where: proved, data: { phc } });
      if (count === 0) throw new SignInFailed();
    },
  });
}

/** The log of each tenant that knows the e-mail hears of it; for one that nobody knows, the process does. */
async function noteFailure(ctx: Ctx, known: readonly MemberWithPassword[], emailHash: Buffer): Promise<void> {
  const source = emailHash.toString('base64');
  if (known.length === 0) noteFailedSignIn(ctx.platform, ctx, source, null);
  for (const { id, tenantId } of known) {
    const { platform, workspace } = await placeAt(ctx.platform, tenantId, ctx.workspace.environment);
    noteFailedSignIn(platform, ctx, `${source} ${tenantId}`, { workspaceId: workspace.id, kind: 'member', id });
  }
}

/** Goes on in another tenant of the person, under a new session; the one that asks ends. 404 for a tenant that the person did not prove to belong to. */
export async function switchTenant(ctx: Ctx, tenant: string): Promise<SignIn> {
  requireBrowser(ctx);
  const { credential, member } = requirePerson(ctx);
  const login = await ctx.db.login.findFirst({ where: { id: credential.id, memberId: member.id, endedAt: null } });
  const tenantId = parseAnyId(tenant);
  if (login === null || tenantId === null) throw new NotFound('tenantId');
  const known = (await membersOf(ctx.platform, login.provenIds)).filter(({ password }) => isProof(password, login.signedInAt));
  const proven = await withMethod(ctx.platform, known, 'password');
  const there = proven.find((one) => one.tenantId === tenantId);
  if (there === undefined) throw new NotFound('tenantId');
  const { method, signedInAt, expiresAt } = login;
  return beginLogin(ctx, {
    member: there,
    method,
    proven,
    since: { signedInAt, expiresAt },
    action: 'switchTenant',
  });
}

/** A password that has changed since proves nothing. */
function isProof(password: MemberWithPassword['password'], signedInAt: Date): boolean {
  return password !== null && password.changedAt <= signedInAt;
}
