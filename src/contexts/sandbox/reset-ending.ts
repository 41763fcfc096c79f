// What a reset ends before the money goes back, in this order: what waits, what runs, what somebody may do, and the settings. A context that
// keeps something open on a wallet, or has settings, has a line here. Gap G-377

import { isDeepStrictEqual } from 'node:util';
import type { Protocol } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { updateMerchant } from '../accounts/merchant.js';
import { stepAgent } from '../agents/agent.js';
import { cancelBatch } from '../batches/batch.js';
import { deleteVaultedCard } from '../cards/card.js';
import { connectProcessor } from '../cards/payment-handler.js';
import type { CheckoutProtocol } from '../checkouts/checkout.js';
import { cancelCheckout } from '../checkouts/ending.js';
import { revokePortalToken } from '../identity/portal-token.js';
import { revokeMandate } from '../mandates/mandate-request.js';
import { closeMppSession } from '../mpp/closing.js';
import { resolveDispute } from '../refunds/dispute.js';
import { deleteBankAccount } from '../settlement/bank-account.js';
import { cancelPayout } from '../settlement/payout-approval.js';
import { deleteRailFaults } from '../settlement/rail-fault.js';
import { restoreConfig, settlementConfig, usualConfig } from '../settlement/settlement-config.js';
import { deleteWindow } from '../settlement/window.js';
import { deleteSettlementRule } from '../settlement-rules/rule.js';
import { cancelApproval } from '../spending/approval.js';
import { setDetectors } from '../spending/breaker.js';
import { deleteBudget } from '../spending/budget.js';
import { unfreezeSpending } from '../spending/kill-switch.js';
import { setKyaCaps } from '../spending/kya-limit.js';
import { deletePolicy } from '../spending/policy.js';
import { cancelStream } from '../streams/payout.js';
import { cancelTask } from '../tasks/ending.js';
import { approveTask } from '../tasks/review.js';
import { cancelTransfer } from '../transfers/hold.js';
import { deleteWebhook } from '../webhooks/webhook.js';
import { deleteEndpoint } from '../x402/endpoint-request.js';

/** Things of one kind that one reset ends, at most. */
export const mostOfKind = 1_000;

interface Ending {
  type: string;
  rows(ctx: Ctx): Promise<{ id: string; protocol?: Protocol }[]>;
  end(ctx: Ctx, row: { id: string; protocol?: Protocol }): Promise<unknown>;
}

const reason = 'The sandbox was reset.';
const some = { take: mostOfKind, orderBy: { id: 'desc' }, select: { id: true } } as const;
const kept = { deletedAt: null };

export const endings: readonly Ending[] = [
  {
    type: 'kill_switch',
    rows: ({ db, workspace: { id } }) => db.workspace.findMany({ where: { id, frozenAt: { not: null } }, select: { id: true } }),
    end: unfreezeSpending,
  },
  {
    type: 'rail_fault',
    rows: async ({ db }) => {
      const rails = await db.railFault.findMany({ distinct: ['rail'], take: mostOfKind, orderBy: { rail: 'asc' }, select: { rail: true } });
      return rails.map(({ rail: id }) => ({ id }));
    },
    end: (ctx, { id: rail }) => deleteRailFaults(ctx, rail),
  },
  {
    type: 'approval',
    rows: ({ db }) => db.approval.findMany({ where: { status: 'pending' }, ...some }),
    end: (ctx, { id }) => cancelApproval(ctx, id, reason),
  },
  {
    type: 'batch',
    rows: ({ db }) => db.batch.findMany({ where: { status: 'pending' }, ...some }),
    end: (ctx, { id }) => cancelBatch(ctx, id, reason),
  },
  {
    type: 'checkout',
    rows: ({ db }) =>
      db.checkout.findMany({ where: { status: { in: ['created', 'pending_payment'] } }, ...some, select: { id: true, protocol: true } }),
    end: (ctx, { id, protocol }) => cancelCheckout(ctx, protocol as CheckoutProtocol, id, { reason }),
  },
  {
    type: 'dispute',
    rows: ({ db }) => db.dispute.findMany({ where: { status: { not: 'resolved' } }, ...some }),
    end: (ctx, { id }) => resolveDispute(ctx, { id, resolution: 'withdrawn', notes: reason }),
  },
  {
    type: 'task',
    rows: ({ db }) => db.task.findMany({ where: { status: { in: ['pending', 'accepted', 'in_progress', 'input_required'] } }, ...some }),
    end: (ctx, { id }) => cancelTask(ctx, id, reason),
  },
  {
    // What was delivered is paid.
    type: 'task',
    rows: ({ db }) => db.task.findMany({ where: { status: 'completed', paymentStatus: 'reserved' }, ...some }),
    end: (ctx, { id }) => approveTask(ctx, { id }),
  },
  {
    type: 'stream',
    rows: ({ db }) => db.stream.findMany({ where: { status: { in: ['pending', 'active', 'paused', 'exhausted'] } }, ...some }),
    end: (ctx, { id }) => cancelStream(ctx, id, reason),
  },
  {
    type: 'mpp_session',
    rows: ({ db }) => db.mppSession.findMany({ where: { status: { in: ['pending', 'open'] } }, ...some }),
    end: (ctx, { id }) => closeMppSession(ctx, { id }),
  },
  {
    type: 'payout',
    rows: ({ db }) => db.payout.findMany({ where: { status: 'pending' }, ...some }),
    end: (ctx, { id }) => cancelPayout(ctx, id),
  },
  {
    type: 'transfer',
    rows: ({ db }) =>
      db.transfer.findMany({
        where: { status: 'pending', streamId: null, payoutId: null, fundingId: null, taskId: null, protocol: { not: 'mpp' } },
        ...some,
      }),
    end: (ctx, { id }) => cancelTransfer(ctx, id, reason),
  },
  {
    type: 'mandate',
    rows: ({ db, clock }) => db.mandate.findMany({ where: { revokedAt: null, expiresAt: { gt: clock.now() } }, ...some }),
    end: (ctx, { id }) => revokeMandate(ctx, id, reason),
  },
  {
    type: 'settlement_rule',
    rows: ({ db }) => db.settlementRule.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteSettlementRule(ctx, id),
  },
  {
    type: 'settlement_window',
    rows: ({ db }) => db.settlementWindow.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteWindow(ctx, id),
  },
  {
    type: 'x402_endpoint',
    rows: ({ db }) => db.x402Endpoint.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteEndpoint(ctx, id),
  },
  {
    type: 'agent',
    rows: ({ db }) => db.agent.findMany({ where: { status: { not: 'revoked' } }, ...some }),
    end: (ctx, { id }) => stepAgent(ctx, id, 'revoke', reason),
  },
  {
    type: 'portal_token',
    rows: ({ db, platform }) => db.portalToken.findMany({ where: { revokedAt: null, expiresAt: { gt: platform.clock.now() } }, ...some }),
    end: (ctx, { id }) => revokePortalToken(ctx, id),
  },
  {
    type: 'policy',
    rows: ({ db }) => db.policy.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deletePolicy(ctx, id),
  },
  {
    // Children are younger than their parents.
    type: 'budget',
    rows: ({ db }) => db.budget.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteBudget(ctx, id),
  },
  {
    type: 'kya_limits',
    rows: async ({ db, workspace: { id } }) => ((await db.kyaLimit.count({ take: 1 })) > 0 ? [{ id }] : []),
    end: (ctx) => setKyaCaps(ctx, []),
  },
  {
    type: 'breakers',
    rows: async ({ db, workspace: { id } }) => ((await db.breaker.count({ take: 1 })) > 0 ? [{ id }] : []),
    end: (ctx) => setDetectors(ctx, []),
  },
  {
    type: 'settlement_config',
    rows: async (ctx) => (isDeepStrictEqual(await settlementConfig(ctx), usualConfig) ? [] : [{ id: ctx.workspace.id }]),
    end: restoreConfig,
  },
  {
    type: 'merchant',
    rows: ({ db }) => db.merchant.findMany({ where: { status: 'active' }, ...some }),
    end: (ctx, { id }) => updateMerchant(ctx, { id, status: 'inactive' }),
  },
  {
    type: 'vaulted_card',
    rows: ({ db }) => db.vaultedCard.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteVaultedCard(ctx, id),
  },
  {
    type: 'payment_handler',
    rows: async ({ db }) => {
      const where = { disconnectedAt: { not: null } };
      const handlers = await db.paymentHandler.findMany({ where, take: mostOfKind, orderBy: { id: 'asc' }, select: { processor: true } });
      return handlers.map(({ processor: id }) => ({ id }));
    },
    end: (ctx, { id: processor }) => connectProcessor(ctx, processor),
  },
  {
    type: 'bank_account',
    rows: ({ db }) => db.bankAccount.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteBankAccount(ctx, id),
  },
  {
    type: 'webhook',
    rows: ({ db }) => db.webhook.findMany({ where: kept, ...some }),
    end: (ctx, { id }) => deleteWebhook(ctx, id),
  },
];
