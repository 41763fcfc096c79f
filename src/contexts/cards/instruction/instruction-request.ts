// What callers ask of a card network: an authorization of a payment that was verified, its cancellation, a refund of it
// (CONTRACT.md 14). Money of ours moves in none of them; an authorization uses the limits of its agent.
import type { CardVerification, Prisma } from '../../../generated/prisma/client.js';
import { reserved } from '../../../ledger/hold.js';
import { posting } from '../../../ledger/posting.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { type Currency, parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { rollBack } from '../../../platform/postgres/rollback.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, parseId } from '../../../platform/schema/id.js';
import { inactiveAccount } from '../../accounts/account.js';
import { cachedMerchant } from '../../accounts/merchant.js';
import { actingAgent } from '../../agents/agent.js';
import { type DryRun, dryRunSpend } from '../../spending/pipeline/dry-run.js';
import { lockEligibility } from '../../spending/pipeline/eligibility.sql.js';
import { type Draft, executeSpend, type SpendForm, type SpendOptions } from '../../spending/pipeline/execution.js';
import { type Authority, authorizeSpend, type Spend } from '../../spending/pipeline/pipeline.js';
import { referenceUnusable } from '../errors.js';
import { checkNoCardNumber } from '../vault/card-number.js';
import { followUp } from './follow-up.js';
import type { CreateCardInstructionInput } from './instruction.input.js';
import type { InstructionChange } from './instruction.js';
import { type InstructionFrame, instructionRow } from './instruction-frame.js';
import { enrolledNetwork } from './network.js';

/**
 * Queues an instruction, or lets an authorization wait for an approval. 404 for a network, agent, network_ref or instruction of nobody, 422
 * for the number of a card and for a network that the workspace is not enrolled with, 409 for a network_ref that was used or has expired,
 * and what refuses a spend.
 */
export async function createInstruction(ctx: Ctx, input: CreateCardInstructionInput & { network: string }): Promise<InstructionChange> {
  const made = await transact(
    ctx,
    (tx) => instruct(ctx, tx, input),
    ({ instruction }) => instruction.id,
  );
  const { instruction, approval } = made;
  if (instruction.dueAt !== null) ringAt(ctx, 'card_instruction', instruction.dueAt);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
  return made;
}

/**
 * What an authorization would do. A refusal by a layer of the pipeline is a decision, a faulty request an error. 400 for what spends
 * nothing.
 */
export async function dryRunInstruction(ctx: Ctx, input: CreateCardInstructionInput & { network: string }): Promise<DryRun> {
  if ((input.type ?? 'authorize') !== 'authorize')
    throw new ValidationFailed([{ path: ['type'], message: 'spends nothing: only an authorization is tried', rule: 'enum' }]);
  return rollBack(ctx.db, async (tx) => {
    const { authority, options, draft } = await planAuthorization(ctx, tx, await frameOf(ctx, input), input);
    return dryRunSpend(ctx, authority, draft, options);
  });
}

async function instruct(ctx: Ctx, tx: Tx, input: CreateCardInstructionInput & { network: string }): Promise<InstructionChange> {
  const frame = await frameOf(ctx, input);
  const { type } = input;
  if (type === 'cancel' || type === 'refund') return { instruction: await followUp(ctx, tx, frame, type), approval: null };
  const plan = await planAuthorization(ctx, tx, frame, input);
  const { authority, options, draft, verification } = plan;
  const { value, approval } = await executeSpend(ctx, authority, draft, options);
  const instruction = await tx.cardInstruction.create({ data: value });
  await tx.cardVerification.update({ where: rowKey(ctx, verification.id), data: { instructionId: instruction.id } });
  return { instruction, approval };
}

async function frameOf(
  ctx: Ctx,
  { network, agentId, payload }: CreateCardInstructionInput & { network: string },
): Promise<InstructionFrame> {
  checkNoCardNumber({ payload });
  const name = enrolledNetwork(ctx, network);
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) throw new NotFound('agentId');
  return { network: name, agentId, payload, accountId: agent.parentAccountId };
}

type NewInstruction = Prisma.CardInstructionUncheckedCreateInput;

interface Plan {
  verification: CardVerification;
  authority: Authority;
  options: SpendOptions;
  draft: (form: SpendForm) => Draft<NewInstruction>;
}

/** Takes the verified payment under its lock, keeps the standing of who pays, and asks the rules. */
async function planAuthorization(ctx: Ctx, tx: Tx, frame: InstructionFrame, input: CreateCardInstructionInput): Promise<Plan> {
  const { agentId, accountId, network } = frame;
  const reader = within(ctx, tx);
  const verification = await usableVerification(ctx, tx, frame);
  const body = () => ctx.platform.printInput('CreateCardInstructionInput', { ...input, type: 'authorize' });
  const request = { path: `/v1/cards/${network}/instructions`, body, amountMember: null };
  const authority = await authorizeInstruction(reader, {
    ...verification,
    agentId,
    accountId,
    request,
    requestApproval: input.requestApproval === true,
  });
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, accountId, walletId: null, agentIds: [agentId] });
  const account = await tx.account.findFirstOrThrow({ where: { id: accountId }, select: { id: true, status: true } });
  if (account.status !== 'active') throw inactiveAccount(account, 'payments by card authorized');
  const id = newId(authority.at);
  const draft = (form: SpendForm) => draftAuthorization(ctx, { id, frame, verification, authority }, form);
  return { verification, authority, draft, options: { in: tx, requestApproval: input.requestApproval === true } };
}

/** What the pipeline is asked of an authorization, when it is asked for and when it was approved. */
export type InstructionSpend = Pick<CardVerification, 'amount' | 'currency' | 'merchantRef'> & {
  agentId: string;
  accountId: string;
} & Partial<Pick<Spend, 'request' | 'requestApproval' | 'lifted' | 'traceId'>>;

// Gap G-237: An authorization is a spend of the agent's account that leaves the platform, protocol `internal`, and no transfer.
/** Asks the pipeline. It pays with a card of its account, out of the platform; a merchant of ours is known by its id. */
export async function authorizeInstruction(ctx: Ctx, spend: InstructionSpend): Promise<Authority> {
  const { agentId, accountId, amount, currency, merchantRef, request, requestApproval, lifted, traceId } = spend;
  const merchantId = parseId('merchant', merchantRef);
  const isOurs = merchantId !== null && (await cachedMerchant(ctx, merchantId)) !== null;
  return authorizeSpend(ctx, {
    from: { walletId: null, accountId, agentId },
    to: null,
    protocol: 'internal',
    merchantId: isOurs ? merchantId : undefined,
    amount,
    currency: currency as Currency,
    agentId,
    at: ctx.clock.now(),
    request,
    requestApproval,
    lifted,
    traceId,
  });
}

/** The verified payment that `payload.network_ref` names, under its lock. What else the payload says of it must be the same. */
async function usableVerification(ctx: Ctx, tx: Tx, { agentId, network, payload }: InstructionFrame): Promise<CardVerification> {
  const id = parseId('cardVerification', payload['network_ref']);
  if (payload['network_ref'] === undefined)
    throw new ValidationFailed([{ path: ['payload', 'network_ref'], message: 'is required of an authorization', rule: 'required' }]);
  const found =
    id === null ? null : await tx.cardVerification.findFirst({ where: { id, agentId, rejectionReason: null }, select: { id: true } });
  if (found === null) throw new NotFound('payload', 'network_ref');
  const row = await lockRow(tx.cardVerification, found.id);
  if (row.instructionId !== null) throw referenceUnusable(row.instructionId);
  if (row.expiresAt === null || row.expiresAt <= ctx.clock.now()) throw referenceUnusable(null);
  if (row.network !== network)
    throw new ValidationFailed([
      { path: ['payload', 'network_ref'], message: `was given for the network ${row.network}`, rule: 'network' },
    ]);
  checkSame(payload, row);
  return row;
}

/** What a payload says of the payment beside its reference has to be what was verified. */
function checkSame(payload: InstructionFrame['payload'], { amount, currency, merchantRef }: CardVerification): void {
  const said = payload['amount'];
  const isSame = {
    amount: said === undefined || (typeof said === 'string' && parseMinor(said, currency, ['payload', 'amount']) === amount),
    currency: payload['currency'] === undefined || payload['currency'] === currency,
    merchant_id: payload['merchant_id'] === undefined || payload['merchant_id'] === merchantRef,
  };
  const others = Object.entries(isSame).filter(([, same]) => !same);
  if (others.length > 0)
    throw new ValidationFailed(
      others.map(([name]) => ({ path: ['payload', name], message: 'is not what was verified', rule: 'verified' })),
    );
}

interface Authorization {
  id: string;
  frame: InstructionFrame;
  verification: CardVerification;
  authority: Authority;
}

/** The row of an authorization, and the posting that reserves of the limits and moves nothing. */
function draftAuthorization(ctx: Ctx, { id, frame, verification, authority }: Authorization, form: SpendForm): Draft<NewInstruction> {
  const { at, guards } = authority;
  const { amount, currency, merchantRef, description } = verification;
  const { approvalId, decisionId, limits } = form;
  const dueAt = approvalId === null ? at : null;
  return {
    value: { ...instructionRow(ctx, frame, at), id, type: 'authorize', amount, currency, merchantRef, approvalId, decisionId, dueAt },
    posting: posting(ctx, { id, at, transferId: null, legs: [], limits: reserved(limits), guards }),
    request: { subject: { subjectType: 'card_instruction', subjectId: id }, transferId: null, description, execution: {} },
  };
}
