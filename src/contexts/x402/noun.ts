// What endpoints, x402 payments and payment requests are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { x402EndpointLifecycle } from './endpoint/endpoint.js';
import { deleteEndpoint } from './endpoint/endpoint-request.js';
import { stepPayment } from './payment/chain-payment.js';
import { openPayments, x402PaymentLifecycle } from './payment/payment.js';
import { paymentSubject } from './payment/payment-life.js';
import { transfersOfPayments } from './transfer-subject.js';

export const x402Endpoint = defineNoun({
  id: { kind: 'x402Endpoint', prefix: 'epd', wire: 'prefixed' },
  scope: 'x402:read',
  table: 'x402_endpoint',
  lifecycle: x402EndpointLifecycle,
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db }, most) => db.x402Endpoint.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteEndpoint(ctx, id),
    }),
  ],
});

export const x402Payment = defineNoun({
  id: { kind: 'x402Payment', prefix: 'pay', wire: 'prefixed' },
  scope: 'x402:read',
  table: 'x402_payment',
  lifecycle: x402PaymentLifecycle,
  due: { concurrency: 8, run: stepPayment },
  approvals: { x402_payment: paymentSubject },
  transfers: transfersOfPayments,
  openOn: openPayments,
  settling: { where: 'due_at IS NOT NULL' },
});

export const x402Quote = defineNoun({ id: { kind: 'x402Quote', prefix: 'preq', wire: 'prefixed' }, scope: 'x402:read' });
