// What a member is given: a role and an authority. Nobody gives what he has not (CONTRACT.md 22, 29).
import type { Member } from '../../generated/prisma/client.js';
import { InvalidApiKey, LoginExpired } from '../../platform/credential.js';
import type { Ctx, MemberAuthority } from '../../platform/ctx.js';
import { Forbidden, PersonRequired } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import type { Db, Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { firstBeyond, fullScope, type Role, scopes, scopesOf } from '../../platform/scope.js';
import { beyondOwn } from './errors.js';
import type { AuthorityInput } from './member.input.js';

/** What a member has, or is to have. */
export interface Grant {
  role: Role;
  /** Null: decides nothing. */
  authority: MemberAuthority | null;
}

/** How a row has an authority. */
type AuthorityColumns = Pick<Member, 'authorityMax' | 'authorityCurrency'>;

// Gap G-472: An authority without limit is in USD where nobody says a currency.
/** What a role begins with: owner and finance decide any amount, the others nothing. */
export function firstAuthority(role: Role): MemberAuthority | null {
  return role === 'owner' || role === 'finance' ? { maxAmount: null, currency: 'USD' } : null;
}

/** The authority of a row. */
export function authorityOf({ authorityMax, authorityCurrency }: AuthorityColumns): MemberAuthority | null {
  return authorityCurrency === null ? null : { maxAmount: authorityMax, currency: authorityCurrency };
}

/** The columns of an authority. */
export function authorityColumns(authority: MemberAuthority | null): AuthorityColumns {
  return { authorityMax: authority?.maxAmount ?? null, authorityCurrency: authority?.currency ?? null };
}

/** What a row has. */
export function grantOf(row: AuthorityColumns & { role: Role }): Grant {
  return { role: row.role, authority: authorityOf(row) };
}

/**
 * The scopes that a member has now, in the environment that asks. What the member set up goes on after he was suspended or removed; with a
 * transaction, in which he gives scopes, he has none then; and who decides up to an amount alone has no `approvals:decide` to give, for a
 * program that has it decides any amount.
 */
export async function scopesOfMember({ db, workspace }: Ctx, id: string, tx?: Tx): Promise<readonly string[]> {
  const row = tx === undefined ? await db.member.findFirst({ where: { id } }) : await lockRow<Member>(tx.member, id);
  if (row === null || (tx !== undefined && row.status !== 'active')) return [];
  const authority = authorityOf(row);
  if (tx === undefined) return scopesOf(row.role, workspace.environment, authority !== null);
  const decides = authority !== null && authority.maxAmount === null;
  const own = scopesOf(row.role, workspace.environment, decides);
  return decides || !own.includes(fullScope) ? own : scopes.filter((scope) => scope !== 'approvals:decide');
}

/** The authority that a request says. */
export function readAuthority(input: AuthorityInput | null): MemberAuthority | null {
  if (input === null) return null;
  const { maxAmount, currency } = input;
  return { maxAmount: maxAmount == null ? null : parseMinor(maxAmount, currency, ['authority', 'maxAmount']), currency };
}

/** Changes of people of one tenant follow each other: each begins with the lock of the tenant's row. */
export async function lockPeople({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx): Promise<void> {
  await lockRow(tx.tenant, workspace.tenantId);
}

/** 403 where a key of the sandbox would change people: they belong to the tenant, and its keys of production change them. */
function refuseTestKey({ actor, workspace }: Ctx): void {
  if ((actor.type === 'api_key' || actor.type === 'user') && workspace.environment === 'test') {
    throw new Forbidden('Members belong to the tenant: a key of production changes them, or a person.', {
      reason: 'live_key_required',
      terminal: true,
    });
  }
}

/**
 * Refuses whoever is no owner of the tenant: 403 `person_required` for keys, 403 `forbidden` for people. The command line is let in. With the
 * client of a transaction that has locked the people of the tenant the answer stays true.
 */
export async function checkOwner(ctx: Ctx, db: Db | Tx): Promise<void> {
  const { actor } = ctx;
  if (actor.type === 'system') return;
  refuseTestKey(ctx);
  if (actor.member === undefined) throw new PersonRequired('Only an owner who signed in in a browser says how people sign in.');
  const own = await db.member.findFirst({ where: { id: actor.member.id } });
  if (own === null || own.status !== 'active') throw new LoginExpired();
  if (own.role !== 'owner') throw beyondOwn('Only an owner says how people sign in.', 'role_exceeded');
}

/** What keys and their JWTs give and take. */
const byPrograms: readonly Role[] = ['developer', 'viewer'];

/**
 * Refuses whoever gives or takes more than he has himself, asked under the lock of the tenant's people: 403 `person_required` for keys, 403
 * `forbidden` for people. The command line gives everything.
 */
export async function checkGiving(ctx: Ctx, tx: Tx, grants: readonly Grant[]): Promise<void> {
  const { actor } = ctx;
  if (actor.type === 'system') return;
  if (actor.member !== undefined) return checkPerson(tx, actor.member.id, grants);
  if (actor.type !== 'api_key' && actor.type !== 'user') throw new Forbidden('Only people of the tenant and its keys change members.');
  refuseTestKey(ctx);
  if (grants.some(({ role, authority }) => !byPrograms.includes(role) || authority !== null)) {
    throw new PersonRequired(
      'A key changes developers and viewers without authority. For all others a person has to sign in, or use `cli member invite`.',
    );
  }
  // Under the lock of the key: it gives nothing after it was revoked.
  const { revokedAt } = await lockRow(tx.apiKey, actor.id);
  if (revokedAt !== null) throw new InvalidApiKey();
  checkScopes(actor.scopes, grants);
}

async function checkPerson(tx: Tx, id: string, grants: readonly Grant[]): Promise<void> {
  const own = await tx.member.findFirst({ where: { id } });
  if (own === null || own.status !== 'active') throw new LoginExpired();
  const authority = authorityOf(own);
  checkScopes(scopesOf(own.role, 'live', authority !== null), grants);
  if (grants.some((grant) => grant.authority !== null && !reaches(authority, grant.authority)))
    throw beyondOwn('You give and take an authority of at most your own.', 'authority_exceeded');
}

function checkScopes(held: readonly string[], grants: readonly Grant[]): void {
  for (const { role } of grants) {
    const beyond = firstBeyond(held, ['members:write', ...scopesOf(role, 'live', false)]);
    if (beyond !== undefined)
      throw beyondOwn(`Only who has ${beyond} in production gives, changes or ends the role ${role}.`, 'role_exceeded');
  }
}

/** True where one row has at least the authority of another. */
export function hasAuthorityOf(row: AuthorityColumns, other: AuthorityColumns): boolean {
  const wanted = authorityOf(other);
  return wanted === null || reaches(authorityOf(row), wanted);
}

// Gap G-473: An authority in another currency is within a limited one never: nobody converts what is given.
/** True where `own` is at least `other`. */
function reaches(own: MemberAuthority | null, other: MemberAuthority): boolean {
  if (own === null) return false;
  if (own.maxAmount === null) return true;
  return other.maxAmount !== null && other.currency === own.currency && other.maxAmount <= own.maxAmount;
}
