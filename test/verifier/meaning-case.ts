// Packs of a payment that cannot be: its amounts, rules, approvals, mandates and receipts do not fit together.
import { Forger } from '../factories/forged-pack.js';
import type { Json } from '../harness.js';
import { type Case, checkout, legs, refunded, type Told, votes } from './told-pack.js';

const money = (t: Told): Json => t.payment.parts['money'];

export const amounts: Case[] = [
  ['no payment', 'posting', (t) => (t.payment.role = 'hold')],
  ['legs that are not all there', 'posting', (t) => (money(t).legs = legs(['wal_1', '-4.00'], ['wal_2', '3.99']))],
  [
    'legs that are zero together and in no currency',
    'posting',
    (t) => (money(t).legs = legs(['wal_1', '-4.00'], ['wal_2', '4.00', 'EUR'])),
  ],
  ['a leg that is no amount', 'posting', (t) => (money(t).legs = legs(['wal_1', '-4.00'], ['wal_2', '4e0']))],
  ['one leg', 'posting', (t) => (money(t).legs = legs(['wal_1', '0.00']))],
  ['the money of another transfer', 'posting', (t) => (money(t).transfer_id = 'tx_9')],
  ['a file about another transfer', 'posting', (t) => (t.pack.transferId = 'tx_9')],
  ['an amount of nothing', 'posting', (t) => (money(t).amount = '0.00')],
  ['a fee below nothing', 'posting', (t) => (money(t).fee = '-1.00')],
  ['less taken than the amount', 'posting', (t) => (money(t).amount = '5.00')],
  ['more arrived than the amount', 'posting', (t) => (money(t).legs = legs(['wal_1', '-4.00'], ['wal_2', '5.00'], ['wal_3', '-1.00']))],
  ['a part of it for somebody else', 'posting', (t) => (money(t).legs = legs(['wal_1', '-4.00'], ['wal_2', '1.00'], ['wal_3', '3.00']))],
  ['another signature than the leaf has the hash of', 'offer', (t) => (t.pack.attached = { x402: 'AAAA' })],
  ['an offer in another currency', 'offer', (t) => (t.payment.parts['offer'].currency = 'EUR')],
  ['an offer of another wallet', 'offer', (t) => (t.payment.parts['offer'].terms.pay_to = 'wal_3')],
  ['an offer with another total', 'offer', (t) => checkout(t, { total: '4.01' })],
  ['items that come to something else', 'offer', (t) => checkout(t, {}, 3)],
  ['a quote of another fee', 'offer', (t) => (t.payment.parts['offer'] = { currency: 'USD', kind: 'quote', terms: { fee: '0.10' } })],
  ['a refund of another payment', 'refund', (t) => (t.refund.parts['money'].refund_of = 'tx_9')],
  ['more refunded than was paid', 'refund', (t) => refunded(t, '4.01')],
  ['a receipt too many for its refunds', 'refund', (t) => (t.after = ({ attached }) => attached.refund_receipts.push('a.b.c'))],
  [
    'the receipt of the payment for a refund',
    'refund',
    (t) => (t.after = ({ attached }) => (attached.refund_receipts = [attached.receipt_jws])),
  ],
  [
    'the receipts of two refunds in another order',
    'refund',
    (t) => {
      t.order.push({ ...t.refund });
      t.after = ({ attached }) => attached.refund_receipts.reverse();
    },
  ],
  ['a delivery for another payment', 'delivery', (t) => (t.delivered.parts['delivery'].transfer_id = 'tx_9')],
  ['a delivery of no hash', 'delivery', (t) => (t.delivered.parts['delivery'].sha256 = 'a'.repeat(63))],
  ['a delivery that somebody else names', 'delivery', (t) => (t.received.parts['delivery'].by.side = 'platform')],
  ['a side that says twice what was delivered', 'delivery', (t) => (t.received.parts['delivery'].by.side = 'payee')],
];

const decision = (t: Told): Json => t.payment.parts['decision'];
const authority = (t: Told): Json => t.payment.parts['authority'];
const made = (t: Told): Json => t.mandate.parts['outcome'];

export const rules: Case[] = [
  ['a decision that refuses', 'decision', (t) => (decision(t).outcome = 'deny')],
  ['a check that refuses', 'decision', (t) => (decision(t).checks[0].outcome = 'fail')],
  ['a decision about another amount', 'decision', (t) => (decision(t).checks[1].requested = '3.00')],
  ['fewer figures than limits', 'limits', (t) => (t.payment.sealed = { figures: [] })],
  ['the figures of another rule', 'limits', (t) => (t.payment.sealed = { figures: [{ rule_id: 'pol_2:0', used: '0.00' }] })],
  [
    'an approval that was asked for, and not given',
    'decision',
    (t) => {
      unapproved(t, 'require_approval');
      t.payment.sealed = { figures: [{ rule_id: 'pol_1:0', used: '0.00' }] };
    },
  ],
  ['a limit that was passed, and nobody approved it', 'limits', (t) => unapproved(t, 'allow')],
  ['a vote on another approval', 'approval', (t) => (t.approval.parts['act'].resource.id = 'apr_9')],
  ['an approval after the payment', 'approval', (t) => t.order.splice(2, 2, t.payment, t.approval)],
  ['a vote after the payment', 'approval', (t) => bothVotes(t, [{ ...votes()[0], at: '2026-03-02T10:00:01.000Z' }])],
  ['an approval that was rejected', 'approval', (t) => (t.approval.parts['outcome'].status = 'rejected')],
  ['an approval by other votes', 'approval', (t) => (authority(t).approval.votes = [...votes(), ...votes()])],
  ['a mandate of another', 'mandate', (t) => (t.mandate.parts['act'].resource.id = 'man_9')],
  ['a mandate that was made later', 'mandate', (t) => t.order.splice(1, 3, t.approval, t.payment, t.mandate)],
  [
    'two mandates',
    'mandate',
    (t) => t.order.splice(3, 0, { role: 'hold', parts: { authority: { mandate: { id: 'man_2', jwt_sha256: '-', version: 1 } } } }),
  ],
  ['a mandate that was revoked', 'mandate', (t) => (made(t).revoked_at = '2026-01-01T00:00:00.000Z')],
  ['another JWT than that of the mandate', 'mandate', (t) => (made(t).jwt_sha256 = '0'.repeat(64))],
  ['the mandate of another agent', 'mandate', (t) => (made(t).agent_id = 'agt_9')],
  ['a mandate that had expired', 'mandate', (t) => (made(t).expires_at = '2026-03-02T09:59:59.999Z')],
  ['a mandate for another currency', 'mandate', (t) => (made(t).scope = { currency: 'EUR' })],
  ['a mandate for less', 'mandate', (t) => (made(t).scope = { currency: 'USD', max_per_day: '3.99' })],
  [
    'another JWT attached',
    'mandate',
    (t) => (t.pack.attached = { ...t.pack.attached, mandate_jwt: t.forger.statement(t.jwt, t.jwtHeader) }),
  ],
  ['a JWT that is no mandate', 'mandate', (t) => (t.jwtHeader = { typ: 'JWT' })],
  ['a JWT of another key', 'mandate', (t) => (t.jwtHeader = { ...t.jwtHeader, kid: 'two' })],
  ['a JWT of another mandate', 'mandate', (t) => (t.jwt.jti = 'man_9')],
  ['a JWT of another version', 'mandate', (t) => (t.jwt.ver = 2)],
  ['a JWT of another agent', 'mandate', (t) => (t.jwt.sub = 'agt_9')],
  ['a JWT that had expired', 'mandate', (t) => (t.jwt.exp = 1_700_000_000)],
  ['a JWT for less', 'mandate', (t) => (t.jwt.scope = { currency: 'USD', max_per_tx: '3.99' })],
];

function bothVotes(t: Told, list: Json[]): void {
  t.approval.parts['outcome'].votes = list;
  authority(t).approval.votes = list;
}

/** The payment passes a limit, and names no approval. */
function unapproved(t: Told, outcome: string): void {
  delete authority(t).approval;
  decision(t).outcome = outcome;
  t.payment.sealed = { figures: [{ rule_id: 'pol_1:0', used: '96.01' }] };
}

/** The JWT of a mandate is by the same key as the receipt, and looked at before. */
function withoutMandate(t: Told, change: Partial<Told>): void {
  delete authority(t).mandate;
  Object.assign(t, change);
}

export const receipts: Case[] = [
  ['a receipt that cannot be read', 'receipt', (t) => (t.after = ({ attached }) => (attached.receipt_jws = 'a.b'))],
  ['a receipt by another algorithm', 'receipt', (t) => (t.pack.header = { alg: 'none' })],
  ['a receipt with a condition that nobody knows', 'receipt', (t) => (t.pack.header = { crit: ['exp'] })],
  ['a receipt of a key that is not there', 'receipt', (t) => (t.pack.header = { kid: 'two' })],
  [
    'a receipt of a key that is for something else',
    'receipt',
    (t) => withoutMandate(t, { after: ({ log }) => Object.assign(log.jwks.keys[0], { use: 'enc' }) }),
  ],
  ['a receipt with another signature', 'receipt', (t) => withoutMandate(t, { trust: { jwks: new Forger().jwks } })],
  ['a statement of another kind', 'receipt', (t) => (t.pack.header = { typ: 'JWT' })],
  ['a receipt of another transfer', 'receipt', (t) => (t.pack.claims = { sub: 'tx_9' })],
  ['a receipt of another log', 'receipt', (t) => (t.pack.claims = { origin: 'other.example/log' })],
  ['a receipt of a leaf that is not shown', 'receipt', (t) => (t.pack.claims = { leaf_index: 9 })],
  ['a receipt of another leaf', 'receipt', (t) => (t.pack.receiptOf = 4)],
  ['a receipt of other digests', 'receipt', (t) => (t.pack.claims = { _sd: [] })],
  ['a statement of the key by nobody', 'receipt', (t) => (t.after = ({ log }) => (log.key_jws = 'a.b.c'))],
  ['a statement about another key', 'receipt', (t) => (t.pack.keyClaims = { vkey: new Forger().vkey })],
  ['a statement about another log', 'receipt', (t) => (t.pack.keyClaims = { origin: 'other.example/log' })],
];
