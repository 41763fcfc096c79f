// A mandate that somebody presents with its JWT: to spend, or to ask whether it is good (CONTRACT.md 7). What is wrong with the mandate
// itself is said before the pipeline, in this order: revoked, expired, the JWT. The posting asks again (its guard), which is the truth.
import type { Mandate } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import { createCtx } from '../../platform/request.js';
import { placeOfAgent } from '../agents/agent.js';
import { InvalidMandateJwt, MandateExpired, MandateRevoked } from '../spending/errors.js';
import { merchantsPaid } from '../spending/pipeline/counterparty.js';
import { enforcedMandate, type MandateReader, type Presented } from '../spending/pipeline/mandate.js';
import { type EnforcedMandate, merchantResults } from '../spending/pipeline/mandate-rule.js';
import type { VerifyMandateInput } from './mandate.input.js';
import { cachedMandate, type MandateRow, type MandateStatus, statusOf, visibleMandates, withAgent } from './mandate.js';
import { mandateClaimsOf } from './mandate-jwt.js';
import { type MandateUse, useOf } from './mandate-use.js';

/** Reads the mandate that a spend presents. */
export const readPresented: MandateReader = (ctx, presented) => present(ctx, presented, 'mandateId');

/** What a presented mandate lets its agent do. 404 for one that the actor does not see, at `field` where no path names it. */
export async function present(ctx: Ctx, { mandateId, mandateJwt }: Presented, field?: string): Promise<EnforcedMandate> {
  const row = await cachedMandate(ctx, mandateId);
  if (row === null || !visibleMandates.reaches(ctx, row)) throw field === undefined ? new NotFound() : new NotFound(field);
  if (row.revokedAt !== null) throw new MandateRevoked();
  if (row.expiresAt <= ctx.clock.now()) throw new MandateExpired();
  const claims = await mandateClaimsOf(ctx.platform, mandateJwt);
  if (claims?.mandateId !== mandateId) throw new InvalidMandateJwt(mandateId);
  if (isJwtOf(row, mandateJwt)) return enforcedMandate(row);
  // It is one of another version: an old one, or one of which this process has not heard yet. An old one drops nothing that is kept.
  const fresh = await ctx.db.mandate.findFirst({ where: { id: mandateId } });
  if (fresh === null || !isJwtOf(fresh, mandateJwt)) throw new InvalidMandateJwt(mandateId);
  ctx.platform.cache.drop(`mandate:${mandateId}`);
  return enforcedMandate(fresh);
}

function isJwtOf({ jwtHash }: Mandate, jwt: string): boolean {
  return sha256(jwt).equals(jwtHash);
}

// Gap G-230: `verify` tells the holder of an older version only that it is not valid, and the status.
/** Whether a mandate is good now. Its status is told to who holds a JWT that we signed, what is left of it to who holds the last one. */
export interface MandateVerification {
  valid: boolean;
  /** Why not: the code that an execution would be refused with, or `mandate_suspended`. */
  reason: string | null;
  mandateId: string | null;
  status: MandateStatus | null;
  use: MandateUse | null;
}

const unknown: MandateVerification = { valid: false, reason: 'invalid_mandate_jwt', mandateId: null, status: null, use: null };

/** Asks whether a mandate is good, and for such a spend. Who holds the JWT may ask: it takes no credential. Changes nothing. */
export async function verifyMandate(ctx: Ctx, { mandateJwt, amount, merchantId }: VerifyMandateInput): Promise<MandateVerification> {
  const claims = await mandateClaimsOf(ctx.platform, mandateJwt);
  const place = claims && (await placeOfAgent(ctx.platform, claims.agentId, ctx.workspace.environment));
  if (claims === null || place === null) return unknown;
  const reader = createCtx(place.platform, { actor: ctx.actor, workspace: place.workspace }, ctx);
  const row = await reader.db.mandate.findFirst({ where: { id: claims.mandateId }, include: withAgent });
  if (row === null) return unknown;
  const status = statusOf(reader, row);
  const use = isJwtOf(row, mandateJwt) ? await useOf(reader, row) : null;
  const minor = amount == null ? null : parseMinor(amount, row.currency, ['amount']);
  const reason =
    statusReason(status) ??
    (use === null ? 'invalid_mandate_jwt' : null) ??
    (merchantId == null ? null : await merchantReason(reader, row, merchantId)) ??
    (minor === null || use === null ? null : limitReason(row, use, minor));
  return { valid: reason === null, reason, mandateId: row.id, status, use };
}

function statusReason(status: MandateStatus): string | null {
  return status === 'active' ? null : `mandate_${status}`;
}

async function merchantReason(reader: Ctx, row: MandateRow, merchantId: string): Promise<string | null> {
  const mandate = enforcedMandate(row);
  // Of the sisters of the merchant, only one that the mandate blocks is kept.
  const { merchant = null, sisterMerchants: [blocked] = [] } = await merchantsPaid(
    reader,
    merchantId,
    { payee: null },
    { lists: [], mandate },
  );
  return merchantResults(mandate, blocked ?? merchant)[0]?.code ?? null;
}

function limitReason({ maxPerTx }: MandateRow, { remainingDaily, remainingMonthly }: MandateUse, minor: bigint): string | null {
  const passes = (most: bigint | null) => most !== null && minor > most;
  return [maxPerTx, remainingDaily, remainingMonthly].some(passes) ? 'mandate_limit_exceeded' : null;
}
