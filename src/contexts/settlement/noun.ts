// What payouts, bank accounts, settlement windows and the faults of simulated rails are to everybody else.
import { isDeepStrictEqual } from 'node:util';
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { deleteBankAccount } from './payout/bank-account.js';
import { openPayouts, payoutLifecycle } from './payout/payout.js';
import { cancelPayout, payoutSubject } from './payout/payout-approval.js';
import { payoutOrders } from './payout/payout-order.js';
import { orderDue } from './rail/order-submission.js';
import { deleteRailFaults } from './rail/rail-fault.js';
import { restoreConfig, settlementConfig, usualConfig } from './reserve/settlement-config.js';
import { transfersOfPayouts } from './transfer-subject.js';
import { stepWindow } from './window/due.js';
import { deleteWindow } from './window/window.js';

export const payout = defineNoun({
  id: { kind: 'payout', prefix: 'po', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'payout',
  lifecycle: payoutLifecycle,
  due: orderDue(payoutOrders),
  approvals: { payout: payoutSubject },
  transfers: transfersOfPayouts,
  openOn: openPayouts,
  settling: { where: `status IN ('pending', 'confirmed') AND due_at IS NOT NULL` },
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.payout.findMany({ where: { status: 'pending' }, ...newestRows(most) }),
      end: (ctx, { id }) => cancelPayout(ctx, id),
    }),
  ],
});

export const bankAccount = defineNoun({
  id: { kind: 'bankAccount', prefix: 'ba', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'bank_account',
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) => db.bankAccount.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteBankAccount(ctx, id),
    }),
  ],
});

export const settlementWindow = defineNoun({
  id: { kind: 'settlementWindow', prefix: 'win', wire: 'bare' },
  scope: 'settlement:read',
  table: 'settlement_window',
  due: { concurrency: 4, run: stepWindow },
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db }, most) => db.settlementWindow.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteWindow(ctx, id),
    }),
    resetStep({
      stage: 'setting',
      type: 'settlement_config',
      rows: async (ctx) => (isDeepStrictEqual(await settlementConfig(ctx), usualConfig) ? [] : [{ id: ctx.workspace.id }]),
      end: (ctx) => restoreConfig(ctx),
    }),
  ],
});

export const railFault = defineNoun({
  id: { kind: 'railFault', prefix: 'flt', wire: 'prefixed' },
  table: 'rail_fault',
  reset: [
    resetStep({
      stage: 'block',
      rows: async ({ db }, most) => {
        const rails = await db.railFault.findMany({ distinct: ['rail'], take: most, orderBy: { rail: 'asc' }, select: { rail: true } });
        return rails.map(({ rail: id }) => ({ id }));
      },
      end: (ctx, { id: rail }) => deleteRailFaults(ctx, rail),
    }),
  ],
});
