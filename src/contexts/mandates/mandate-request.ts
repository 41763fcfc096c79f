// Issuing, changing and revoking mandates. Each change of what a mandate lets its agent do is a version with a JWT of its own; the one
// before counts no more (CONTRACT.md 7).
import type { Mandate, Prisma } from '../../generated/prisma/client.js';
import { printActor } from '../../platform/actor.js';
import { noteOutcome } from '../../platform/audit.js';
import { sha256 } from '../../platform/crypto.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Currency } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { inactiveAccount } from '../accounts/account.js';
import { agentRevoked } from '../agents/agent.js';
import { MandateExpired, MandateRevoked } from '../spending/errors.js';
import { emit } from './events.js';
import type { CreateMandateInput, UpdateMandateInput } from './mandate.input.js';
import { type MandateRow, mandateLifecycle, statusOf, visibleMandates, withAgent } from './mandate.js';
import { agentJwk, type SignedMandate, signMandate } from './mandate-jwt.js';
import { checkMerchants, parseMandateScope, printScope } from './scope.js';

// Gap G-209: `agent_id` must be an agent of `account_id`; the mandate also lets it spend from the account's wallets.
/**
 * Issues a mandate. 404 for an account, agent or merchant that is none of this workspace; 400 for an agent of another account, a scope that
 * says nothing clear, and a time that is over or more than a year away; 409 for an account that is not active.
 */
export function createMandate(ctx: Ctx, input: CreateMandateInput): Promise<MandateRow> {
  return transact(ctx, async (tx) => {
    const at = ctx.clock.now();
    checkTime(input.expiresAt, at);
    const { accountId, agentId, expiresAt, metadata } = input;
    const scope = parseMandateScope(input.scope, await currencyFor(tx, input));
    // Under its lock: who revokes the agent finds this mandate, or this finds the agent revoked.
    const agent = await lockRow(tx.agent, agentId, { field: 'agentId' });
    if (agent.parentAccountId !== accountId)
      throw new ValidationFailed([{ path: ['agentId'], message: 'is an agent of another account', rule: 'account' }]);
    if (agent.status === 'revoked') throw agentRevoked(agent);
    await checkMerchants(tx, scope);
    const signed = { id: newId(at), agentId, version: 1, expiresAt, ...scope };
    const made = await tx.mandate.create({
      data: {
        ...signed,
        ...(await versionOf(ctx, tx, signed)),
        accountId,
        metadata: (metadata ?? {}) as Prisma.InputJsonObject,
        createdAt: at,
        updatedAt: at,
      },
      include: withAgent,
    });
    noteOutcome(tx, outcomeOf(made));
    await emit(
      ctx,
      tx,
      'ap2.mandate.created',
      { ...headOf(made), status: 'active', scope: printScope(made), expires_at: expiresAt.toISOString() },
      { at, objectId: made.id, agentId },
    );
    return made;
  });
}

/** The currency of the scope, else that of the account, which has to be active. */
async function currencyFor(tx: Tx, { accountId, scope }: CreateMandateInput): Promise<Currency> {
  const account = await tx.account.findFirst({ where: { id: accountId }, select: { id: true, status: true, defaultCurrency: true } });
  if (account === null) throw new NotFound('accountId');
  if (account.status !== 'active') throw inactiveAccount(account, 'mandates');
  const currency = scope.currency ?? (account.defaultCurrency as Currency | null);
  if (currency === null)
    throw new ValidationFailed([{ path: ['scope', 'currency'], message: 'is required: the account has none', rule: 'required' }]);
  return currency;
}

function checkTime(expiresAt: Date, at: Date): void {
  const latest = new Date(at);
  latest.setUTCFullYear(at.getUTCFullYear() + 1);
  const message = expiresAt <= at ? 'is over' : expiresAt > latest ? 'is more than a year away' : null;
  if (message !== null) throw new ValidationFailed([{ path: ['expiresAt'], message, rule: expiresAt <= at ? 'min' : 'max' }]);
}

/** Signs a version of a mandate and keeps what it says: the members of its row that go with it. */
async function versionOf(ctx: Ctx, tx: Tx, signed: SignedMandate): Promise<Pick<Mandate, 'versionId' | 'sealedJwt' | 'jwtHash'>> {
  const at = ctx.clock.now();
  const { id, agentId, version, expiresAt } = signed;
  const key = await tx.agentKey.findFirst({ where: { agentId, status: 'active' }, select: { publicKey: true } });
  const jwt = await signMandate(ctx, signed, key === null ? null : agentJwk(key.publicKey));
  const sealedJwt = ctx.platform.vault.seal(jwt, id);
  await tx.mandateVersion.create({ data: { mandateId: id, version, scope: printScope(signed), sealedJwt, expiresAt, createdAt: at } });
  return { versionId: newId(at), sealedJwt, jwtHash: sha256(jwt) };
}

/** The JWT of a mandate. */
export function jwtOf({ platform }: Pick<Ctx, 'platform'>, { id, sealedJwt }: Mandate): string {
  return platform.vault.open(sealedJwt, id);
}

// Gap G-213: A change of scope or end makes a version, metadata does not; the currency never changes (400).
/**
 * Changes a mandate. What was used of its limits stays, and so does its currency. Metadata alone makes no version. 409 `mandate_revoked`,
 * `mandate_expired`.
 */
export async function updateMandate(
  ctx: Ctx,
  { id, scope, expiresAt, metadata }: UpdateMandateInput & { id: string },
): Promise<MandateRow> {
  const changed = await transact(ctx, async (tx) => {
    const before = await lockMandate(ctx, tx, id);
    if (before.revokedAt !== null) throw new MandateRevoked();
    const at = ctx.clock.now();
    if (before.expiresAt <= at) throw new MandateExpired();
    if (expiresAt != null) checkTime(expiresAt, at);
    if (scope?.currency != null && scope.currency !== before.currency)
      throw new ValidationFailed([{ path: ['scope', 'currency'], message: `stays ${before.currency}`, rule: 'currency' }]);
    const isNew = scope != null || expiresAt != null;
    const terms = {
      ...(scope != null && parseMandateScope(scope, before.currency as Currency)),
      ...(expiresAt != null && { expiresAt }),
      ...(isNew && { version: before.version + 1 }),
    };
    const next = { ...before, ...terms };
    await checkMerchants(tx, next);
    const after = await tx.mandate.update({
      where: rowKey(ctx, id),
      data: {
        ...terms,
        ...(isNew && (await versionOf(ctx, tx, next))),
        ...(metadata != null && { metadata: metadata as Prisma.InputJsonObject }),
        updatedAt: at,
      },
      include: withAgent,
    });
    noteOutcome(tx, outcomeOf(after));
    return after;
  });
  ctx.platform.cache.drop(`mandate:${id}`);
  return changed;
}

/** Revokes a mandate, which is final: when this is answered it pays nothing any more. 409 for one that has ended. */
export async function revokeMandate(ctx: Ctx, id: string, reason: string | null): Promise<MandateRow> {
  const revoked = await transact(ctx, async (tx) => {
    const { id: locked } = await lockMandate(ctx, tx, id);
    const before = await tx.mandate.findFirstOrThrow({ where: { id: locked }, include: withAgent });
    checkStep(mandateLifecycle, printId('mandate', id), statusOf(ctx, before), 'revoked');
    return revokeWithin(ctx, tx, id, { reason, revokedBy: printActor(ctx.actor.type, ctx.actor.id) });
  });
  ctx.platform.cache.drop(`mandate:${id}`);
  return revoked;
}

/** The due step of a mandate: its agent was revoked, and it is too, unless it has ended by itself. */
export async function stepMandate(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const { dueAt, revokedAt, revokedBy, expiresAt } = await lockRow(tx.mandate, id);
    const now = ctx.clock.now();
    if (dueAt === null || dueAt > now) return tx.mandate.update({ where: rowKey(ctx, id), data: { leaseUntil: null } });
    if (revokedAt !== null || expiresAt <= now) {
      return tx.mandate.update({ where: rowKey(ctx, id), data: { dueAt: null, leaseUntil: null } });
    }
    return revokeWithin(ctx, tx, id, { reason: 'agent_revoked', revokedBy: revokedBy ?? printActor(ctx.actor.type, ctx.actor.id) });
  });
  ctx.platform.cache.drop(`mandate:${id}`);
}

async function revokeWithin(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { reason, revokedBy }: { reason: string | null; revokedBy: string },
): Promise<MandateRow> {
  const at = ctx.clock.now();
  const done = await tx.mandate.update({
    where: rowKey(ctx, id),
    data: { revokedAt: at, revokedBy, revokedReason: reason, updatedAt: at, dueAt: null, leaseUntil: null },
    include: withAgent,
  });
  noteOutcome(tx, outcomeOf(done));
  const data = { ...headOf(done), status: 'revoked', reason, revoked_by: revokedBy, revoked_at: at.toISOString() } as const;
  await emit(ctx, tx, 'ap2.mandate.revoked', data, { at, objectId: id, agentId: done.agentId });
  return done;
}

function lockMandate(ctx: Ctx, tx: Tx, id: string): Promise<Mandate> {
  return lockRow(tx.mandate, id, { where: visibleMandates.where(within(ctx, tx)) });
}

/** What a mandate says in its version: the leaf of the change tells it. */
function outcomeOf(row: Mandate): Record<string, unknown> {
  return {
    agent_id: printId('agent', row.agentId),
    expires_at: row.expiresAt.toISOString(),
    id: printId('mandate', row.id),
    jwt_sha256: Buffer.from(row.jwtHash).toString('hex'),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    scope: printScope(row),
    version: row.version,
  };
}

function headOf({ id, accountId, agentId }: Mandate) {
  return { mandate_id: printId('mandate', id), account_id: printId('account', accountId), agent_id: printId('agent', agentId) };
}
