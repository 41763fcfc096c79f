// Portal tokens: what a customer of the tenant shows, to read its own usage, transfers and agents (SPEC.md "Portal tokens",
// CONTRACT.md 18). A token is kept as its SHA-256. Tokens live in real time, as all credentials do.
import type { PortalToken } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Actor, Ctx, Platform } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { addEntry, endEntries, findCredential, type LoadedCredential, nothing } from './directory.js';
import { PortalTokenExpired } from './errors.js';
import { givenScopes } from './given-scope.js';
import type { CreatePortalTokenInput } from './portal-token.input.js';

export type PortalTokenStatus = 'active' | 'expired' | 'revoked';

/** Seconds that a token lives, by default. */
export const defaultTtlSeconds = 3_600;

/** A token with its text, which only the answer that made it carries. */
export interface IssuedPortalToken extends PortalToken {
  token: string;
}

// Gap G-362: Any customer reference is taken; the token outlives the API key that made it.
/**
 * Issues a token for the accounts that have this customer reference, also those that are opened later. 403 `insufficient_scope` for a
 * scope that the caller does not have.
 */
export function createPortalToken(ctx: Ctx, { customerReference, scopes, expiresIn }: CreatePortalTokenInput): Promise<IssuedPortalToken> {
  const at = ctx.platform.clock.now();
  const token = newToken('portal_');
  const data = {
    id: newId(at),
    customerReference,
    scopes: [...new Set(scopes)],
    prefix: token.slice(0, 14),
    hash: sha256(token),
    createdAt: at,
    expiresAt: addSeconds(at, expiresIn ?? defaultTtlSeconds),
  };
  return transact(ctx, async (tx) => {
    await givenScopes(ctx, tx, data.scopes);
    const row = await tx.portalToken.create({ data });
    await addEntry(ctx, tx, { ...row, kind: 'portal_token' });
    return { ...row, token };
  });
}

/** What whoever has issued a token should know of it. */
export interface TokenWarning {
  code: string;
  message: string;
}

/** A token reads the accounts that have its customer reference; those of many tokens are looked up together. */
export async function warningsOfToken(ctx: Ctx, { customerReference }: Pick<PortalToken, 'customerReference'>): Promise<TokenWarning[]> {
  const isKnown = await loadTogether(ctx, 'customers', customerReference, async (references) => {
    const where = { customerReference: { in: [...references] } };
    const found = await ctx.db.account.findMany({ where, distinct: ['customerReference'], select: { customerReference: true } });
    return new Map(found.map(({ customerReference: reference }) => [reference ?? '', true]));
  });
  if (isKnown === true) return [];
  const body = `{"customer_reference": ${JSON.stringify(customerReference)}}`;
  const message =
    `No account has the customer reference ${JSON.stringify(customerReference)}, so the token reads nothing yet. ` +
    `Give it to an account: PATCH /v1/accounts/{id} ${body}.`;
  return [{ code: 'unknown_customer_reference', message }];
}

/** Ends a token at once, in every process. Again on an ended one changes nothing. */
export async function revokePortalToken(ctx: Ctx, id: string): Promise<PortalToken> {
  const revoked = await transact(ctx, async (tx) => {
    const token = await lockRow(tx.portalToken, id);
    if (token.revokedAt !== null) return token;
    const revokedAt = ctx.platform.clock.now();
    await endEntries(tx, [token.hash], revokedAt);
    return tx.portalToken.update({ where: rowKey(ctx, id), data: { revokedAt } });
  });
  ctx.platform.cache.drop(`portal:${id}`);
  return revoked;
}

/** Whether a token is accepted at `at`, in real time. */
export function portalTokenStatus({ revokedAt, expiresAt }: Pick<PortalToken, 'revokedAt' | 'expiresAt'>, at: Date): PortalTokenStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt <= at ? 'expired' : 'active';
}

/** The token (never its text), or 404. `query` is the caller's selection. */
export async function portalToken(ctx: Ctx, id: string, query: object = {}): Promise<PortalToken> {
  const found = await ctx.db.portalToken.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Every token of the workspace, ended ones too, newest first. */
export const portalTokens = listOf('portalToken', {});

interface KnownToken {
  actor: Actor;
  workspace: Ctx['workspace'];
  expiresAt: Date;
}

/** Who a token stands for: kept until the token changes, or an account is opened that may be its customer's. 401 for one that has ended. */
export async function identityOfPortalToken(platform: Platform, token: string): Promise<Pick<KnownToken, 'actor' | 'workspace'>> {
  const known = await findCredential<KnownToken>(
    platform,
    'portal_token',
    token,
    async (db, { id, workspace }): Promise<LoadedCredential<KnownToken>> => {
      const row = await db.portalToken.findFirst({ where: { id } });
      if (row === null || portalTokenStatus(row, platform.clock.now()) !== 'active') return nothing;
      const { customerReference: reference, scopes, expiresAt } = row;
      const accounts = await db.account.findMany({ where: { customerReference: reference }, orderBy: { id: 'asc' }, select: { id: true } });
      const actor: Actor = {
        type: 'portal',
        id,
        name: reference,
        scopes,
        credential: { kind: 'portal', id },
        customer: { reference, accountIds: accounts.map((account) => account.id) },
      };
      return { value: { actor, workspace, expiresAt }, tags: [`portal:${id}`, `customers:${workspace.id}`, `workspace:${workspace.id}`] };
    },
  );
  if (known === null || known.expiresAt <= platform.clock.now()) throw new PortalTokenExpired();
  return known;
}
