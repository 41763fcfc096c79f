// What vaulted cards, charges, verifications and instructions to networks are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { orderDue } from '../settlement/rail/order-submission.js';
import { cardChargeLifecycle, openCharges } from './charge/charge.js';
import { cardChargeSubject } from './charge/charge-approval.js';
import { chargeOrders } from './charge/charge-life.js';
import { connectProcessor } from './charge/payment-handler.js';
import { cardInstructionLifecycle } from './instruction/instruction.js';
import { instructionSubject } from './instruction/instruction-approval.js';
import { stepInstruction } from './instruction/instruction-life.js';
import { transfersOfCharges } from './transfer-subject.js';
import { deleteVaultedCard } from './vault/card.js';

export const vaultedCard = defineNoun({
  id: { kind: 'vaultedCard', prefix: 'card', wire: 'prefixed' },
  scope: 'cards:read',
  table: 'vaulted_card',
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) => db.vaultedCard.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteVaultedCard(ctx, id),
    }),
    resetStep({
      stage: 'setting',
      type: 'payment_handler',
      rows: async ({ db }, most) => {
        const where = { disconnectedAt: { not: null } };
        const handlers = await db.paymentHandler.findMany({ where, take: most, orderBy: { id: 'asc' }, select: { processor: true } });
        return handlers.map(({ processor: id }) => ({ id }));
      },
      end: (ctx, { id: processor }) => connectProcessor(ctx, processor),
    }),
  ],
});

export const cardCharge = defineNoun({
  id: { kind: 'cardCharge', prefix: 'chg', wire: 'prefixed' },
  scope: 'cards:read',
  table: 'card_charge',
  lifecycle: cardChargeLifecycle,
  due: orderDue(chargeOrders),
  approvals: { card_charge: cardChargeSubject },
  transfers: transfersOfCharges,
  openOn: openCharges,
  settling: { where: `status = 'pending' AND due_at IS NOT NULL` },
});

export const cardVerification = defineNoun({
  id: { kind: 'cardVerification', prefix: 'nref', scalars: { CardNetworkRef: 'prefixed' } },
  scope: 'cards:read',
  table: 'card_verification',
});

export const cardInstruction = defineNoun({
  id: { kind: 'cardInstruction', prefix: 'ins', wire: 'prefixed' },
  scope: 'cards:read',
  table: 'card_instruction',
  lifecycle: cardInstructionLifecycle,
  // A network that hangs holds up its own instructions alone.
  due: { concurrency: 64, run: stepInstruction, lane: { column: 'lane', concurrency: 8 } },
  approvals: { card_instruction: instructionSubject },
  settling: { where: `status IN ('pending', 'submitted') AND due_at IS NOT NULL` },
});
