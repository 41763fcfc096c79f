// A mandate as an open payment mandate of AP2 v0.2 (CONTRACT.md 7). A verifier of AP2 refuses what it does not know, so a scope that AP2
// has no constraint for is not said at all.
import { loadTogether } from '../../platform/batch.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { declareError, type FieldIssue } from '../../platform/errors.js';
import { formatMinor, scaleOf } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { MandateRow } from './mandate.js';
import { agentJwk } from './mandate-jwt.js';
import { jwtOf } from './mandate-request.js';

/** 422: the mandate says what AP2 has no words for. */
export class NotInAp2 extends declareError(422, 'validation_failed') {
  constructor(id: string, fields: readonly FieldIssue[]) {
    super('AP2 v0.2 cannot say what this mandate does.', {
      fields,
      details: { next_actions: [{ rel: 'mandate', actor: 'any', method: 'GET', path: `/v1/ap2/mandates/${printId('mandate', id)}` }] },
    });
  }
}

type Constraint = { type: `payment.${string}` } & Record<string, unknown>;

/** The open payment mandate. 422 `validation_failed` with the members of the scope that it cannot say. */
export async function openPaymentMandate(ctx: Ctx, row: MandateRow): Promise<Record<string, unknown>> {
  const key = await activeKey(ctx, row.agentId);
  const issues = issuesOf(row, key !== undefined);
  if (issues.length > 0 || key === undefined) throw new NotInAp2(row.id, issues);
  const allowed = await payees(ctx, row.allowedMerchants);
  return {
    vct: 'mandate.payment.open.1',
    constraints: [
      ...amountConstraints(row),
      ...(allowed.length === 0 ? [] : [{ type: 'payment.allowed_payees', allowed }]),
      // Gap G-218: `payment.reference` of an open payment mandate is the digest of `mandate_jwt`.
      // The schema wants the digest of a document that the payment depends on: it is the signed mandate.
      { type: 'payment.reference', conditional_transaction_id: sha256(jwtOf(ctx, row)).toString('base64url') },
    ],
    cnf: { jwk: agentJwk(key) },
    iat: Math.floor(row.createdAt.getTime() / 1000),
    exp: Math.floor(row.expiresAt.getTime() / 1000),
  };
}

/** The public key of an agent; those of a list are read together. */
function activeKey(ctx: Ctx, agentId: string): Promise<Uint8Array | undefined> {
  return loadTogether(ctx, 'mandate key', agentId, async (ids) => {
    const keys = await ctx.db.agentKey.findMany({
      where: { agentId: { in: [...ids] }, status: 'active' },
      select: { agentId: true, publicKey: true },
    });
    return new Map(keys.map((key) => [key.agentId, key.publicKey]));
  });
}

interface Ap2Merchant {
  id: string;
  name: string;
  website?: string;
}

/** Merchants as AP2 names them, oldest first; those of a list are read together. */
async function payees(ctx: Ctx, merchantIds: readonly string[]): Promise<Ap2Merchant[]> {
  const load = async (ids: readonly string[]) => {
    const found = await ctx.db.merchant.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true, url: true } });
    return new Map(found.map((merchant) => [merchant.id, merchant]));
  };
  const found = await Promise.all([...merchantIds].sort().map((id) => loadTogether(ctx, 'mandate payee', id, load)));
  return found.flatMap((merchant) => {
    if (merchant === undefined) return [];
    const { id, name, url } = merchant;
    return [{ id: printId('merchant', id), name, ...(url !== null && { website: url }) }];
  });
}

// Gap G-219: `payment.budget` is in major units, monthly; limits that AP2 cannot express are 422.
/**
 * An amount is in minor units, a budget in major ones, as the published SDK of AP2 counts them. A budget of a month goes with a recurrence,
 * and that with an amount: without one per transaction, all of the month may go at once.
 */
function amountConstraints({ currency, maxPerTx, maxPerMonth }: MandateRow): Constraint[] {
  const most = maxPerTx ?? maxPerMonth;
  const range: Constraint[] = most === null ? [] : [{ type: 'payment.amount_range', currency, max: Number(most) }];
  if (maxPerMonth === null) return range;
  return [
    ...range,
    { type: 'payment.budget', currency, max: Number(formatMinor(maxPerMonth, currency)) },
    { type: 'payment.agent_recurrence', frequency: 'MONTHLY' },
  ];
}

/** Gap G-231: A limit of more than 15 digits is 422, because a JSON number holds no more. */
const mostExact = 10n ** 15n;

function issuesOf(
  { currency, maxPerTx, maxPerDay, maxPerMonth, allowedCategories, blockedMerchants }: MandateRow,
  hasKey: boolean,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const refuse = (member: string, message: string) => void issues.push({ path: ['scope', member], message, rule: 'ap2' });
  const isExact = (limit: bigint | null) => limit === null || limit < mostExact;
  if (!isExact(maxPerTx)) refuse('maxPerTx', 'has more digits than a number of AP2 says exactly');
  if (!isExact(maxPerMonth)) refuse('maxPerMonth', 'has more digits than a number of AP2 says exactly');
  if (maxPerDay !== null) refuse('maxPerDay', 'AP2 has no limit of a day beside others');
  if (allowedCategories.length > 0) refuse('allowedMerchantCategories', 'AP2 has no constraint on categories');
  if (blockedMerchants.length > 0) refuse('blockedMerchants', 'AP2 blocks no merchants');
  if (scaleOf(currency) !== 2) refuse('currency', 'AP2 counts in hundredths of an ISO 4217 currency');
  if (!hasKey) issues.push({ path: ['agentId'], message: 'has no key to bind the mandate to', rule: 'ap2' });
  return issues;
}
