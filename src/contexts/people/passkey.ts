// Passkeys: they sign in alone (CONTRACT.md 22). What an authenticator is asked to sign is good once, for five minutes.
import type { Member, Passkey } from '../../generated/prisma/client.js';
import { SignInFailed } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { requireStepUp } from '../../platform/step-up.js';
import { LastMethod } from './errors.js';
import { joinWith, linkOf, type WriteMethod } from './join.js';
import { shownLink } from './link.js';
import { beginLogin, requireBrowser, requirePerson, type SignIn } from './login.js';
import { keepChallenge, passkeyByCredential, takeChallenge } from './lookup.js';
import { forget } from './member.js';
import { listPasskey, unlistPasskeys } from './member-place.js';
import type { PasskeyInput, PasskeyOptionsInput } from './passkey.input.js';
import { checkMethod, methodsOfMembers } from './sign-in-setting.js';
import {
  authenticationOptions,
  challengeIn,
  type NewPasskey,
  type PasskeyOptions,
  readAuthentication,
  readRegistration,
  registrationOptions,
} from './webauthn.js';

type Purpose = PasskeyOptionsInput['purpose'];

/** Gap G-480: A member has at most 20 passkeys (409). */
export const mostPasskeys = 20;

/** What the browser hands to its authenticator for a purpose. */
export async function passkeyOptions(ctx: Ctx, { purpose, token }: PasskeyOptionsInput): Promise<{ purpose: Purpose; options: object }> {
  const { options, challenge } = await optionsFor(ctx, purpose, token ?? undefined);
  await keepChallenge(ctx.platform, { hash: sha256(challenge), purpose, memberId: ownerOf(ctx, purpose) });
  return { purpose, options };
}

/** Whose challenge it is: whoever signs in or joins is not known yet. */
function ownerOf(ctx: Ctx, purpose: Purpose): string | null {
  return purpose === 'step_up' || purpose === 'add' ? requirePerson(ctx).member.id : null;
}

async function optionsFor(ctx: Ctx, purpose: Purpose, token: string | undefined): Promise<PasskeyOptions> {
  const browser = requireBrowser(ctx);
  if (purpose === 'sign_in') return authenticationOptions(browser, []);
  if (purpose === 'join') {
    const { invitation, recovery } = await linkOf(ctx, shownLink(required(token)));
    const email = invitation?.email ?? recovery?.member.email ?? 'owner';
    return registrationOptions(browser, { id: newId(ctx.platform.clock.now()), email, name: recovery?.member.name ?? email, known: [] });
  }
  const { member } = requirePerson(ctx);
  const known = await ctx.db.passkey.findMany({ where: { memberId: member.id }, orderBy: { id: 'asc' } });
  if (purpose === 'step_up') return authenticationOptions(browser, known);
  requireStepUp(ctx);
  const { email, name } = await ctx.db.member.findFirstOrThrow({ where: { id: member.id } });
  return registrationOptions(browser, { id: member.id, email, name, known });
}

function required(token: string | undefined): string {
  if (token === undefined) throw new ValidationFailed([{ path: ['token'], message: 'is required', rule: 'required' }]);
  return token;
}

/** Signs in, joins, steps up or adds a passkey, by what an authenticator has signed. 401 `sign_in_failed` for whatever is wrong with it. */
export async function usePasskey(ctx: Ctx, { purpose, response, token, name, email }: PasskeyInput): Promise<SignIn> {
  const browser = requireBrowser(ctx);
  if (purpose === 'add') requireStepUp(ctx);
  const challenge = challengeIn(response);
  const asked = challenge === undefined ? undefined : { hash: sha256(challenge), purpose, memberId: ownerOf(ctx, purpose) };
  if (challenge === undefined || asked === undefined || !(await takeChallenge(ctx.platform, asked))) throw new SignInFailed();
  if (purpose === 'sign_in' || purpose === 'step_up') return signInBy(ctx, purpose, response, challenge);
  const made = await readRegistration(browser, response, challenge);
  if ((await passkeyByCredential(ctx.platform, made.credentialId)) !== null) throw new SignInFailed();
  if (purpose === 'add') return addPasskey(ctx, made, name ?? 'Passkey');
  const prepare = async (): Promise<WriteMethod> => (asMember, tx, memberId) =>
    insert(asMember, tx, memberId, { ...made, name: 'Passkey' });
  return joinWith(ctx, { shown: shownLink(required(token ?? undefined)), name, email }, { method: 'passkey', prepare });
}

async function insert({ platform, workspace }: Ctx, tx: Tx, memberId: string, made: NewPasskey & { name: string }): Promise<void> {
  const at = platform.clock.now();
  await listPasskey(platform, { credentialId: made.credentialId, memberId, tenantId: workspace.tenantId });
  await tx.passkey.createMany({ data: [{ ...made, publicKey: new Uint8Array(made.publicKey), id: newId(at), memberId, createdAt: at }] });
}

async function signInBy(ctx: Ctx, purpose: Purpose, response: Record<string, unknown>, challenge: string): Promise<SignIn> {
  const browser = requireBrowser(ctx);
  const passkey = await passkeyByCredential(ctx.platform, String(response['id']));
  const isMeant = passkey !== null && (purpose === 'sign_in' || passkey.memberId === ctx.actor.member?.id);
  if (!isMeant || passkey.member.status !== 'active') throw new SignInFailed();
  const counter = await readAuthentication(browser, { response, challenge, passkey });
  const { member } = passkey;
  await checkMethod(ctx.platform, member.tenantId, 'passkey');
  return beginLogin(ctx, {
    member,
    method: 'passkey',
    proven: [member],
    action: purpose === 'sign_in' ? 'signIn' : 'stepUp',
    work: async (asMember, tx) => {
      const data = { counter, lastUsedAt: asMember.platform.clock.now() };
      // Of two that were signed at the same count one is a copy.
      const { count } = await tx.passkey.updateMany({ where: { id: passkey.id, counter: passkey.counter }, data });
      if (count === 0) throw new SignInFailed();
    },
  });
}

async function addPasskey(ctx: Ctx, made: NewPasskey, name: string): Promise<SignIn> {
  const { member: acting, credential } = requirePerson(ctx);
  const member: Member = await ctx.db.member.findFirstOrThrow({ where: { id: acting.id } });
  const login = await ctx.db.login.findFirstOrThrow({ where: { id: credential.id } });
  const signedIn = await beginLogin(ctx, {
    member,
    // It has just been used in this browser.
    method: 'passkey',
    proven: [member],
    since: login,
    action: 'addPasskey',
    work: async (asMember, tx) => {
      if ((await tx.passkey.count({ where: { memberId: member.id } })) >= mostPasskeys) throw new LastMethod();
      await insert(asMember, tx, member.id, { ...made, name });
    },
  });
  forget(ctx, member.id);
  return signedIn;
}

/** The passkeys of the person who asks, newest first; none of anybody else. */
export async function ownPasskeys(ctx: Ctx): Promise<Passkey[]> {
  const { member } = ctx.actor;
  if (member === undefined) return [];
  return ctx.db.passkey.findMany({ where: { memberId: member.id }, orderBy: { id: 'desc' }, take: mostPasskeys });
}

/** Forgets a passkey of the person who asks, who signed in a moment ago. 409 where it is all that the person signs in with. */
export async function deletePasskey(ctx: Ctx, id: string): Promise<{ id: string }> {
  const { member } = ctx.actor;
  if (member === undefined || (await ctx.db.passkey.findFirst({ where: { id, memberId: member.id } })) === null) throw new NotFound();
  requireStepUp(ctx);
  const act = { action: 'deletePasskey', resourceType: 'passkey', resourceId: id };
  const deleted = await transact({ ...ctx, act }, async (tx) => {
    await tx.member.updateMany({ where: { id: member.id }, data: { id: member.id } });
    const [gone] = await tx.passkey.findMany({ where: { id, memberId: member.id }, select: { credentialId: true } });
    const { count } = await tx.passkey.deleteMany({ where: { id, memberId: member.id } });
    if (gone === undefined || count === 0) throw new NotFound();
    const methods = await methodsOfMembers(tx, [member.id]);
    if (methods.get(member.id)?.length === 0) throw new LastMethod();
    return { id, credentialId: gone.credentialId };
  });
  forget(ctx, member.id);
  await unlistPasskeys(ctx.platform, member.id, [deleted.credentialId]);
  return { id };
}
