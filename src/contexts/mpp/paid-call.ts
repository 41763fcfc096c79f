// The scheme `Payment` at the paid door: its challenges, and what comes of its credentials (draft-httpauth-payment-00, CONTRACT.md 9).
import type { DoorAnswer } from '../../platform/door.js';
import { printId } from '../../platform/schema/id.js';
import { type ByMpp, type MadePayment, payOnLedger } from '../x402/payment/ledger-payment.js';
import { madeAnswer } from '../x402/payment/made-answer.js';
import type { PaidRequest } from '../x402/payment/paid-request.js';
import type { PaymentScheme } from '../x402/wire/payment-scheme.js';
import { type Challenge, type Credential, printReceipt, type Receipt, readCredential } from './challenge.js';
import { type Charge, challengesFor, discoveredCharges, requestedCharge } from './charge.js';
import { payByEvm } from './evm-credential.js';
import { readLedgerCredential } from './ledger-credential.js';
import { PaymentProblem, problemOf } from './problem.js';

/** What a payment of one of our challenges uses up, whoever makes it and by whichever method, and what its transfer says of it. */
export function byOwnChallenge({ id }: Challenge): ByMpp {
  return { claim: { kind: 'mpp_challenge', key: id }, metadata: { challenge_id: id } };
}

export const mppScheme: PaymentScheme = {
  name: 'Payment',
  about:
    'A credential of MPP in `Authorization: Payment`, or in `Payment-Authorization` where `Authorization` is something else, answers one of the challenges: the 200 then has a `Payment-Receipt`, a refusal is a problem of MPP (`application/problem+json`).',
  discovered: discoveredCharges,
  challenges: challengesFor,
  async take(paidRequest, authorization) {
    try {
      return await pay(paidRequest, authorization);
    } catch (error) {
      const { status, body } = problemOf(error);
      return { status, body, headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' } };
    }
  },
};

async function pay(paidRequest: PaidRequest, authorization: string): Promise<DoorAnswer> {
  const credential = readCredential(authorization);
  if (credential === null) throw new PaymentProblem('malformed-credential', 'The header is not an MPP credential.');
  const charge = await requestedCharge(paidRequest, credential.challenge);
  const made = await settleCall(paidRequest, credential, charge);
  const { payment, approval } = made;
  const receipt: Receipt = {
    status: 'success',
    method: charge.method,
    timestamp: (payment.settledAt ?? payment.createdAt).toISOString(),
    reference: printId('x402Payment', payment.id),
  };
  const headers = { 'Cache-Control': 'private', ...(approval === null && { 'Payment-Receipt': printReceipt(receipt) }) };
  return madeAnswer(made, receipt, headers);
}

/** Pays the charge, once for its challenge. */
async function settleCall(paidRequest: PaidRequest, credential: Credential, charge: Charge): Promise<MadePayment> {
  const { ctx, endpoint } = paidRequest;
  const byMpp = byOwnChallenge(credential.challenge);
  if (charge.method === 'evm') return { payment: await payByEvm(paidRequest, credential, charge, byMpp), approval: null };
  const { payer, from } = await readLedgerCredential(ctx, credential);
  return payOnLedger(payer, { endpoint, from, amount: BigInt(charge.offer.amount), nonce: credential.challenge.id, byMpp });
}
