// Payments of every kind that a pack proves, each completed, and what its pack says of it.
import { expect } from 'vitest';
import type { Harness, Json } from '../harness.js';
import { spender } from './approval.js';
import { newShop } from './checkout.js';
import { payAbroad } from './exchange.js';
import { newHolder } from './mandate.js';
import { payBody as mppBody, newSides as mppSides } from './mpp.js';
import { transferBody, twoWallets } from './payment.js';
import { disputeBody, payment as refundable } from './refund.js';
import { newSides, stepTask, taskIn } from './task.js';
import { newVoter } from './voter.js';
import { base64, newBuyer, newEndpoint, signedOnLedger, unbase64 } from './x402.js';

/** A kind of payment. */
export interface EvidenceKind {
  /** Makes one; the id of its transfer. */
  pay: (harness: Harness) => Promise<string>;
  /** Roles that its leaves have. */
  roles: string[];
  /** Sentences that its story has, in this order. */
  story: RegExp[];
}

const id = '[a-z_0-9]+[0-9a-f-]{36}';
const at = '20[0-9T:.-]+Z';

async function plain({ test }: Harness, extra: object = {}): Promise<string> {
  const { from, to } = await twoWallets(test);
  return (await test.make('/v1/transfers', transferBody(from, to, '4.00', extra))).id;
}

async function limited({ test }: Harness): Promise<string> {
  const { from, to } = await twoWallets(test);
  await test.make('/v1/policies', {
    name: 'Limit',
    target: { type: 'account', id: from.account_id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
  });
  const transfer = await test.make('/v1/transfers', transferBody(from, to, '4.00'));
  await test.make(`/v1/transfers/${transfer.id}/delivery`, { sha256: 'ab'.repeat(32), media_type: 'text/plain' });
  await test.make('/v1/refunds', { original_transfer_id: transfer.id, amount: '1.50', reason: 'customer_request' });
  return transfer.id;
}

async function overX402({ test, clock }: Harness): Promise<string> {
  const [endpoint, buyer] = [await newEndpoint(test), await newBuyer(test)];
  const door = (headers: Record<string, string> = {}) => test.get(`/x402/${endpoint.id}`, { as: null, headers });
  const [offer] = unbase64((await door()).headers.get('payment-required')).accepts;
  const answer = await door({ 'PAYMENT-SIGNATURE': base64(signedOnLedger(buyer, offer, '0.10', clock.now())) });
  expect(answer.status).toBe(200);
  const [payment] = (await test.get(`/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data;
  return payment.transfer_id;
}

async function byMandate({ test }: Harness): Promise<string> {
  const { status, body } = await (await newHolder(test)).spend('5.00');
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body.data.transfer_id;
}

async function approved(harness: Harness): Promise<string> {
  const { transfer, approval } = await (await spender(harness)).wait();
  expect(await (await newVoter(harness)).approve(approval, 'Fine')).toBe('approved');
  return transfer.id;
}

async function captured(harness: Harness): Promise<string> {
  const held = await plain(harness, { capture: 'manual' });
  expect((await harness.test.post(`/v1/transfers/${held}/capture`, { amount: '3.00' })).status).toBe(200);
  return held;
}

async function ofCheckout({ test }: Harness): Promise<string> {
  const shop = await newShop(test);
  const checkout = await shop.begin();
  await shop.complete(checkout);
  return (await shop.read(checkout)).transfer_id;
}

async function ofTask({ test }: Harness): Promise<string> {
  const sides = await newSides(test);
  const task = await taskIn(test, sides, 'completed');
  await stepTask(test, task, 'approve', sides.sender);
  return (await test.get(`/v1/a2a/tasks/${task.id}`)).body.data.payment.transfer_id;
}

async function overMpp({ test }: Harness): Promise<string> {
  const { payer, from, to } = await mppSides(test);
  const body = mppBody({ wallet: from.id, payee: to.id, agent: payer.id });
  return (await test.make('/v1/mpp/pay', body, { as: payer.token })).transfer_id;
}

async function disputed({ test }: Harness): Promise<string> {
  const { transfer } = (await refundable(test)) as { transfer: Json };
  const dispute = await test.make('/v1/disputes', disputeBody(transfer));
  await test.make(`/v1/disputes/${dispute.id}/resolve`, { resolution: 'rejected', notes: 'It came.' });
  return transfer.id;
}

/** Each kind by what it is. */
export const evidenceKinds: Readonly<Record<string, EvidenceKind>> = {
  'a plain payment': {
    pay: plain,
    roles: ['payment'],
    story: [/^Authorized by key_.* with an API key$/, new RegExp(`^Paid: 4\\.00 USD from ${id} to ${id} at ${at}$`)],
  },
  'a payment with limits, a delivery and a refund': {
    pay: limited,
    roles: ['policy', 'payment', 'delivery', 'refund'],
    story: [
      /^Limit of 100\.00 USD per day: 0\.00 used before, 4\.00 now/,
      /^Paid: 4\.00 USD/,
      /^Refunded: 1\.50 USD/,
      /^Delivered, says the payee: SHA-256 (ab){32}$/,
    ],
  },
  'a payment that was held': {
    pay: captured,
    roles: ['hold', 'capture'],
    story: [/^Held: 4\.00 USD at/, /^Paid: /],
  },
  'a payment over x402': {
    pay: overX402,
    roles: ['payment'],
    story: [/^Signed by the payer: SHA-256 [0-9a-f]{64}$/, /^Shown before: an offer of x402, .*to be paid to/, /^Paid: 0\.10/],
  },
  'a payment over MPP': { pay: overMpp, roles: ['payment'], story: [/^Shown before: an offer of mpp, .*for https:/, /^Paid: /] },
  'a payment by a mandate': {
    pay: byMandate,
    roles: ['mandate'],
    story: [/^Under mandate ap2_mnd_.*, version 1$/, /^Limit of 100\.00 USD per day: 0\.00 used before, 5\.00 now/, /^Paid: 5\.00 USD/],
  },
  'a payment that people approved': {
    pay: approved,
    roles: ['hold', 'capture'],
    story: [
      /^It waited for the approval apr_/,
      new RegExp(`^Approved by mem_.* over console at ${at}$`),
      /^Held: 30\.00 USD/,
      /^Paid: 30\.00 USD/,
    ],
  },
  'a payment of a checkout': {
    pay: ofCheckout,
    roles: ['checkout'],
    story: [/^Shown before: an offer of checkout, .*, 2 of MUG at 12\.50, 1 of SPOON at 2\.50, in all 27\.50 USD$/, /^Paid: 27\.50 USD/],
  },
  'a payment of a task': {
    pay: ofTask,
    roles: ['capture'],
    story: [/^Shown before: an offer of task, .*, for translate, in all 10\.00 USD$/, /^Paid: 10\.00 USD/],
  },
  'a payment into another currency': {
    pay: async ({ test }) => (await payAbroad(test)).transfer.id,
    roles: ['payment'],
    story: [/^Paid: /, /^The payee got [0-9.]+ [A-Z]{3}$/],
  },
  'a payment that was disputed': {
    pay: disputed,
    roles: ['dispute'],
    story: [/^Paid: /, /^Disputed: [0-9.]+ USD, /, /^The dispute ended: rejected$/],
  },
};
