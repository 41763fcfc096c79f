// An execution of a mandate: a spend by its agent at a merchant (CONTRACT.md 7). It is a transfer under the protocol ap2, whose id it
// has; the limits of the mandate are those of a layer of the pipeline, and the mandate itself is a guard of the posting.
import type { Approval, Transfer } from '../../generated/prisma/client.js';
import type { ApprovalSubject } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import { newId, printId } from '../../platform/schema/id.js';
import type { Page, PageInput } from '../../platform/schema/page.js';
import { cachedMerchant, noWalletWords, payeeOfMerchant } from '../accounts/merchant.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { type DryRun, dryRunSpend } from '../spending/pipeline/dry-run.js';
import { type Draft, executeSpend, type SpendForm } from '../spending/pipeline/execution.js';
import { checkMandateCurrency } from '../spending/pipeline/mandate-rule.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import { transferSubject } from '../transfers/approval.js';
import { SameWallet } from '../transfers/errors.js';
import type { NewTransfer } from '../transfers/transfer.js';
import { transfers } from '../transfers/transfer-list.js';
import { draftTransfer, executionFacts, holdOf, type TransferPlan } from '../transfers/transfer-request.js';
import type { ExecuteMandateInput } from './execution.input.js';
import { mandate } from './mandate.js';
import { payerByMandate } from './payer.js';
import { present } from './presentation.js';

/** How an execution is approved and ended: as its transfer is. */
export const executionSubject: ApprovalSubject = { ...transferSubject, kind: 'mandateExecution' };

/** An execution, which is its transfer, and the approval that it waits for. */
export interface MadeExecution {
  execution: Transfer;
  approval: Approval | null;
}

/** Spends by a mandate: at once, held until it is captured, or held until it is approved. */
export async function executeMandate(ctx: Ctx, id: string, input: ExecuteMandateInput): Promise<MadeExecution> {
  const plan = await planExecution(ctx, id, input);
  const transferId = newId(plan.value.at);
  const draft = (form: SpendForm) => draftExecution(ctx, transferId, plan, form);
  const options = { key: transferId, requestApproval: input.requestApproval === true };
  const { value: execution, approval } = await executeSpend(ctx, plan.authority, draft, options);
  if (execution.dueAt !== null) ringAt(ctx, 'transfer', execution.dueAt);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
  return { execution, approval };
}

/** What `executeMandate` would do. What is wrong with the mandate itself is an error, a refusal by a layer a decision. */
export async function dryRunExecution(ctx: Ctx, id: string, input: ExecuteMandateInput): Promise<DryRun> {
  const plan = await planExecution(ctx, id, input);
  const transferId = newId(plan.value.at);
  const draft = (form: SpendForm) => draftExecution(ctx, transferId, plan, form);
  return dryRunSpend(ctx, plan.authority, draft, { requestApproval: input.requestApproval === true });
}

/** That of the transfer, but an approval of it is one of an execution. */
function draftExecution(ctx: Ctx, id: string, plan: TransferPlan, form: SpendForm): Draft<Transfer> {
  const draft = draftTransfer(ctx, id, plan, form);
  return { ...draft, request: { ...draft.request, subject: { subjectType: 'mandate_execution', subjectId: id } } };
}

async function planExecution(ctx: Ctx, mandateId: string, input: ExecuteMandateInput): Promise<TransferPlan> {
  const enforced = await present(ctx, { mandateId, mandateJwt: input.mandateJwt });
  const { currency, description, capture, captureBy, requestApproval } = input;
  if (captureBy != null && capture !== 'manual') {
    throw new ValidationFailed([{ path: ['captureBy'], message: 'goes with capture: manual' }]);
  }
  checkMandateCurrency(enforced, currency);
  const amount = parseMinor(input.amount, currency, ['amount']);
  const at = ctx.clock.now();
  const to = await payeeOf(ctx, input);
  const from = await payerByMandate(ctx, enforced, input);
  if (from.walletId === to.walletId) throw new SameWallet();
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId: enforced.agentId,
    mandate: enforced,
    merchantId: input.merchantId,
    protocol: 'ap2',
    currency,
    amount,
    at,
    request: {
      path: `/v1/ap2/mandates/${printId('mandate', mandateId)}/execute`,
      body: () => ctx.platform.printInput('ExecuteMandateInput', input),
    },
    requestApproval: requestApproval === true,
  });
  const value: NewTransfer = {
    type: 'internal',
    protocol: 'ap2',
    from,
    to,
    amount,
    currency,
    at,
    agentId: authority.agentId,
    hold: holdOf({ capture, captureBy }, at, 'payee'),
    description,
    mandateId,
    ...(await executionFacts(ctx, authority, to)),
  };
  return { value, authority };
}

// Gap G-214: The merchant's registered category counts; another `merchant_category` in the request is 400.
/**
 * The merchant's settlement wallet, else its account's oldest in the currency. A category that the caller says must be the merchant's: what
 * a mandate allows is judged by what is registered.
 */
async function payeeOf(ctx: Ctx, { merchantId, merchantCategory, currency }: ExecuteMandateInput): Promise<WalletRef> {
  const merchant = await cachedMerchant(ctx, merchantId);
  if (merchant === null) throw new NotFound('merchantId');
  if (merchantCategory != null && merchantCategory !== merchant.category) {
    throw new ValidationFailed([{ path: ['merchantCategory'], message: `is not that of the merchant, ${merchant.category}` }]);
  }
  const found = await payeeOfMerchant(ctx, merchant, currency);
  if (found === null) throw new ValidationFailed([{ path: ['merchantId'], message: noWalletWords(currency), rule: 'currency' }]);
  return found;
}

/** The executions of a mandate, newest first: every transfer that presented it. 404. */
export async function executions(ctx: Ctx, mandateId: string, page: PageInput): Promise<Page<Transfer>> {
  await mandate(ctx, mandateId);
  return transfers(ctx, { mandateId, ...page });
}
