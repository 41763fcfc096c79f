// Whether an agent has signed for a payment at a card network, and may make it (CONTRACT.md 14). Each verification is a row, and what it
// verified is used by one authorization.
import type { CardVerification } from '../../../generated/prisma/client.js';
import { reserved } from '../../../ledger/hold.js';
import { posting } from '../../../ledger/posting.js';
import { addSeconds } from '../../../platform/clock.js';
import { sha256 } from '../../../platform/crypto.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { parseMinor } from '../../../platform/money.js';
import { newId } from '../../../platform/schema/id.js';
import { actingAgent } from '../../agents/agent.js';
import { tryOut } from '../../spending/pipeline/execution.js';
import { isDeciding } from '../../spending/pipeline/layer.js';
import { authorizeInstruction } from '../instruction/instruction-request.js';
import { cardNetworkOf, firstNetwork } from '../instruction/network.js';
import { checkNoCardNumber } from '../vault/card-number.js';
import { type Intent, type Misfit, readBotIdentity } from './bot-identity.js';
import type { BotProfile } from './bot-profile.js';
import type { TransactionIntentInput, VerifyCardInput } from './verification.input.js';

export const rejectionReasons = [
  'unknown_agent',
  'no_active_key',
  'bad_signature',
  'expired',
  'replayed_nonce',
  'intent_mismatch',
  'policy_denied',
  'network_not_enrolled',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Seconds for which what was verified can be used, in workspace time. */
const referenceSeconds = 900;
/** Days for which a verification is kept, in real time. */
const keptDays = 30;

/**
 * Verifies an agent for one payment. A payment that is not verified is no error. 400 for an intent that is none, 422 for the number of a
 * card in it.
 */
export async function verifyCard(ctx: Ctx, input: VerifyCardInput): Promise<CardVerification> {
  const { transactionIntent, signedBotIdentity } = input;
  const { merchantId, amount, currency, description } = transactionIntent;
  checkNoCardNumber({ transactionIntent: { merchantId, description }, signedBotIdentity });
  const minor = parseMinor(amount, currency, ['transactionIntent', 'amount']);
  const network = input.network ?? firstNetwork(ctx);
  const result = await findOut(ctx, { ...input, network, minor });
  const at = ctx.clock.now();
  const row = {
    id: newId(at),
    network,
    merchantRef: merchantId,
    amount: minor,
    currency,
    description: description ?? null,
    createdAt: at,
    keptUntil: addSeconds(ctx.platform.clock.now(), keptDays * 86_400),
  };
  return transact(ctx, async (tx) => {
    const { agentId, nonce, profile = null } = result;
    const nonceHash = nonce === undefined ? null : sha256(nonce);
    const reason = result.reason ?? null;
    const expiresAt = reason === null ? addSeconds(at, referenceSeconds) : null;
    const misfit = result.misfit && { rejectionDetails: { ...shown(ctx, result.misfit) } };
    const data = { ...row, agentId, profile, nonceHash, rejectionReason: reason, expiresAt, ...misfit };
    // A nonce that is there already leaves nothing to write: of two at once one is written.
    const { count } = await tx.cardVerification.createMany({ data: [data], skipDuplicates: true });
    if (count === 0) {
      const replayed = { ...data, nonceHash: null, rejectionReason: 'replayed_nonce', expiresAt: null };
      await tx.cardVerification.createMany({ data: [replayed] });
    }
    return tx.cardVerification.findFirstOrThrow({ where: { id: row.id } });
  });
}

// Gap G-234: Only an agent that the caller sees can be verified; any other is `unknown_agent` (200).
/** What a verification finds: the agent, where there is one; the nonce, where the signature was right; why it is not verified. */
interface VerificationResult {
  agentId: string | null;
  nonce?: string;
  profile?: BotProfile;
  reason?: RejectionReason;
  misfit?: Misfit;
}

async function findOut(ctx: Ctx, input: VerifyCardInput & { network: string | null; minor: bigint }): Promise<VerificationResult> {
  const { network, agentId, transactionIntent, signedBotIdentity, minor } = input;
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) return { agentId: null, reason: 'unknown_agent' };
  const known = { agentId };
  if (network === null || cardNetworkOf(ctx, network) === undefined) return { ...known, reason: 'network_not_enrolled' };
  const key = await ctx.db.agentKey.findFirst({
    where: { agentId, status: 'active', agent: { status: { in: ['active', 'frozen'] } } },
    select: { id: true, publicKey: true },
  });
  if (key === null) return { ...known, reason: 'no_active_key' };
  const claim = { agentId, intent: signedIntent(transactionIntent), key, now: ctx.platform.clock.now() };
  const proof = readBotIdentity(signedBotIdentity, claim);
  if ('reason' in proof) {
    const { reason, ...misfit } = proof;
    return { ...known, reason, misfit };
  }
  const { merchantId, currency } = transactionIntent;
  const isDenied = await isRefused(ctx, { agentId, accountId: agent.parentAccountId, amount: minor, currency, merchantRef: merchantId });
  return { ...known, nonce: proof.nonce, profile: proof.profile, ...(isDenied && { reason: 'policy_denied' as const }) };
}

/** The intent in the spelling of the wire, which is what was signed, through whatever face it came. */
function signedIntent({ merchantId, amount, currency, description }: TransactionIntentInput): Intent {
  return { merchant_id: merchantId, amount, currency, ...(description !== undefined && { description }) };
}

// Gap G-235: `policy_denied` asks the whole pipeline as of now and uses the nonce; a wish for an approval does not deny.
/** Whether the payment would be refused now, by its account or the pipeline. What wants an approval is asked when it is authorized. */
async function isRefused(ctx: Ctx, spend: Parameters<typeof authorizeInstruction>[1]): Promise<boolean> {
  const payer = await ctx.db.account.findFirst({ where: { id: spend.accountId, status: 'active' }, select: { id: true } });
  if (payer === null) return true;
  const authority = await authorizeInstruction(ctx, spend);
  const id = newId(authority.at);
  const { refusals } = await tryOut(ctx, authority, ({ limits }) => ({
    value: null,
    posting: posting(ctx, { id, at: authority.at, transferId: null, legs: [], limits: reserved(limits), guards: authority.guards }),
    request: { subject: { subjectType: 'card_instruction', subjectId: id }, transferId: null, description: null, execution: {} },
  }));
  const faulty = refusals.find(({ layer }) => !isDeciding(layer));
  if (faulty !== undefined) throw faulty.error;
  return refusals.length > 0;
}

/** In production nobody is told what would have fitted. */
function shown({ workspace }: Ctx, { part, message, ...compared }: Misfit): Misfit {
  return workspace.environment === 'test' ? { part, message, ...compared } : { part, message };
}

/** The verification of a keyed request that is repeated. An agent reads its own. */
export async function cardVerification(ctx: Ctx, id: string): Promise<CardVerification> {
  const found = await ctx.db.cardVerification.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}
