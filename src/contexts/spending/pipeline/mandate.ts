// The mandate that a spend names: as its row says what it lets its agent do, and as whoever presents its JWT proves it (CONTRACT.md 7).
import type { Mandate } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';
import { onePart } from '../../../platform/extension.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockMandateVersion } from './mandate.sql.js';
import type { EnforcedMandate } from './mandate-rule.js';

/** Characters of the longest JWT of a mandate, with room: a hundred merchants and categories are in it at most. */
export const mostJwtLength = 32_768;

/** What the rules need of a mandate. */
export function enforcedMandate(row: Mandate): EnforcedMandate {
  const { id, version, versionId, accountId, agentId, currency, maxPerTx, maxPerDay, maxPerMonth } = row;
  const { allowedCategories, allowedMerchants, blockedMerchants } = row;
  const limits = { maxPerTx, maxPerDay, maxPerMonth };
  const jwtSha256 = Buffer.from(row.jwtHash).toString('hex');
  return {
    id,
    version,
    versionId,
    jwtSha256,
    accountId,
    agentId,
    currency,
    ...limits,
    allowedCategories,
    allowedMerchants,
    blockedMerchants,
  };
}

/**
 * The mandate of a spend that was kept for later, as it is now, and stays until the transaction ends; undefined for none. Whether it is
 * in force the posting asks.
 */
export async function mandateNow({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx, id: string | null): Promise<EnforcedMandate | undefined> {
  if (id !== null) await lockMandateVersion(tx, workspace.id, id);
  return mandateOf(tx, id);
}

/** The mandate of a spend, as it is now; undefined for none. */
export async function mandateOf(tx: Tx, id: string | null): Promise<EnforcedMandate | undefined> {
  return id === null ? undefined : enforcedMandate(await tx.mandate.findFirstOrThrow({ where: { id } }));
}

/** A mandate and its JWT, as a request presents them. */
export interface Presented {
  mandateId: string;
  mandateJwt: string;
}

/** Says what a presented mandate lets its agent do. Throws for one that is not there, not in force, or another's. */
export type MandateReader = (ctx: Ctx, presented: Presented) => Promise<EnforcedMandate>;

/** Who reads presented mandates. */
export const mandateReader = onePart<MandateReader>('the reader of mandates');

/** What of a mandate a request names. */
export type Presentation = { [member in keyof Presented]?: string | null | undefined };

/** What is wrong with a request that presents one half of a mandate: the other one is missing. `place`: where its members stand. */
export function mandateIssues({ mandateId, mandateJwt }: Presentation, place: FieldIssue['path'] = []): FieldIssue[] {
  if ((mandateId == null) === (mandateJwt == null)) return [];
  const [missing, given] = mandateId == null ? ['mandateId', 'mandate_jwt'] : ['mandateJwt', 'mandate_id'];
  return [{ path: [...place, missing], message: `goes with ${given}`, rule: 'required' }];
}

/** 400 for one half of a mandate. */
export function checkPresentation(presentation: Presentation, place?: FieldIssue['path']): void {
  const issues = mandateIssues(presentation, place);
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** The mandate that a request presents, where it names one. 400 for one half of it. */
export async function presentedMandate(ctx: Ctx, presentation: Presentation): Promise<EnforcedMandate | undefined> {
  checkPresentation(presentation);
  const { mandateId, mandateJwt } = presentation;
  if (mandateId == null || mandateJwt == null) return undefined;
  const read = ctx.platform.extensions.of(mandateReader);
  return read(ctx, { mandateId, mandateJwt });
}
