// What a platform that lies tells of a payment, before anything is hashed and signed: a pack with everything that one can have, to be changed.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/platform/canonical-json.js';
import { type Trust, verifyPack } from '../../verify/src/verify.js';
import { Forger, forgedId, forgedMoney, type ToldLeaf, type ToldPack } from '../factories/forged-pack.js';
import type { Json } from '../harness.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Everything that a pack can have. What a case changes, it changes here, before anything is hashed. */
export interface Told {
  forger: Forger;
  policy: ToldLeaf;
  mandate: ToldLeaf;
  approval: ToldLeaf;
  payment: ToldLeaf;
  delivered: ToldLeaf;
  received: ToldLeaf;
  refund: ToldLeaf;
  /** Leaves in their order. */
  order: ToldLeaf[];
  pack: ToldPack;
  /** Claims and header of the JWT of the mandate. */
  jwt: Json;
  jwtHeader: Json;
  trust: Trust;
  /** Changes the value of the pack, when all is signed. */
  after: (pack: Json, forger: Forger) => void;
  /** Changes the text. */
  text: (pack: string) => string;
}

const about = (id: string, more: Json = {}): Json => ({ action: 'some', resource: { id, type: 'thing' }, ...more });
export const votes = () => [{ at: '2026-03-02T09:59:00.000Z', id: 'mem_1', type: 'member', via: 'console' }];
const signed = 'eyJ4NDAyVmVyc2lvbiI6Mn0=';

function told(): Told {
  const forger = new Forger();
  const scope = { currency: 'USD', max_per_tx: '10.00' };
  const mandate = { id: 'man_1', version: 1, jwt_sha256: '' };
  const leaves = {
    policy: { role: 'policy', parts: { act: about('pol_1') } },
    mandate: {
      role: 'mandate',
      parts: {
        act: about('man_1'),
        outcome: { agent_id: 'agt_1', expires_at: '2027-01-01T00:00:00.000Z', revoked_at: null, scope, ...mandate },
      },
    },
    approval: { role: 'approval', parts: { act: about('apr_1'), outcome: { id: 'apr_1', status: 'approved', votes: votes() } } },
    payment: {
      role: 'payment',
      parts: {
        act: about(forgedId),
        money: forgedMoney(),
        offer: { currency: 'USD', id: 'pay_1', kind: 'x402', terms: { pay_to: 'wal_2' } },
        authority: { agent_id: 'agt_1', approval: { id: 'apr_1', votes: votes() }, mandate, signature: { over_sha256: sha256(signed) } },
        decision: {
          checks: [
            { layer: 'policy', outcome: 'pass', rule_id: 'pol_1:1' },
            { layer: 'policy', outcome: 'counted', rule_id: 'pol_1:0', currency: 'USD', max: '100.00', per: 'day', requested: '4.00' },
          ],
          id: 'dec_1',
          outcome: 'allow',
          rules: [{ id: 'pol_1', version: 1 }],
        },
      },
      sealed: { figures: [{ rule_id: 'pol_1:0', used: '96.00' }] },
    },
    delivered: { role: 'delivery', parts: { delivery: { by: { side: 'payee' }, sha256: 'a'.repeat(64), transfer_id: forgedId } } },
    received: { role: 'delivery', parts: { delivery: { by: { side: 'payer' }, sha256: 'a'.repeat(64), transfer_id: forgedId } } },
    refund: {
      role: 'refund',
      parts: {
        money: forgedMoney({
          amount: '1.50',
          legs: [
            { amount: '1.50', currency: 'USD', kind: 'wallet.available', owner_id: 'wal_1' },
            { amount: '-1.50', currency: 'USD', kind: 'wallet.available', owner_id: 'wal_2' },
          ],
          refund_of: forgedId,
          transfer_id: 'tx_2',
        }),
      },
    },
  } satisfies Record<string, ToldLeaf>;
  const { policy, mandate: made, approval, payment, delivered, received, refund } = leaves;
  return {
    forger,
    ...leaves,
    order: [policy, made, approval, payment, delivered, received, refund],
    pack: { transferId: forgedId, from: 2, attached: { x402: signed } },
    jwt: { exp: 1_800_000_000, jti: 'man_1', scope, sub: 'agt_1', ver: 1 },
    jwtHeader: { typ: 'mandate+jwt' },
    trust: {},
    after: () => {},
    text: (pack) => pack,
  };
}

/** Makes the pack of what is told, and checks it. */
export function verdictOf(change: (told: Told) => void): ReturnType<typeof verifyPack> {
  const world = told();
  const jwtOf = () => world.forger.statement(world.jwt, world.jwtHeader);
  change(world);
  const jwt = jwtOf();
  for (const leaf of [world.mandate.parts['outcome'], world.payment.parts['authority']?.mandate])
    if (leaf?.jwt_sha256 === '') leaf.jwt_sha256 = sha256(jwt);
  for (const leaf of world.order) world.forger.add(leaf);
  const { leaves } = world.forger;
  const refunds = leaves.flatMap(({ told: leaf, written }, index) =>
    leaf.role === 'refund' && leaf.parts['money']?.status === 'completed' ? [{ leaf, written, index }] : [],
  );
  const receipts = refunds.map(({ leaf, written, index }) =>
    world.forger.statement(
      {
        _sd: written.map((digest) => digest.toString('base64url')),
        _sd_alg: 'sha-256',
        leaf_index: index,
        origin: world.forger.origin,
        sub: leaf.parts['money']?.transfer_id,
      },
      { typ: 'receipt+sd-jwt' },
    ),
  );
  const attached = { mandate_jwt: jwt, ...(receipts.length > 0 && { refund_receipts: receipts }), ...world.pack.attached };
  const value = world.forger.packValue({ ...world.pack, attached });
  world.after(value, world.forger);
  return verifyPack(world.text(canonicalJson(value)), world.trust);
}

/** A change to what is told, and the leg that it breaks. */
export type Case = [what: string, leg: string, change: (told: Told) => void];

/** Legs of a posting. */
export const legs = (...amounts: [owner: string, amount: string, currency?: string][]) =>
  amounts.map(([owner, amount, currency = 'USD']) => {
    const isWallet = owner.startsWith('wal_');
    return { amount, currency, kind: isWallet ? 'wallet.available' : 'fees', owner_id: isWallet ? owner : null };
  });

/** Makes the payment that of a checkout. */
export function checkout(t: Told, totals: Json, quantity = 2): void {
  const items = [{ quantity, unit_price: '1.75' }];
  t.payment.parts['offer'] = {
    currency: 'USD',
    items,
    kind: 'checkout',
    totals: { fulfillment: '0.25', tax: '0.25', total: '4.00', ...totals },
  };
}

/** Gives so much back. */
export function refunded(t: Told, amount: string): void {
  Object.assign(t.refund.parts['money'], { amount, legs: legs(['wal_1', amount], ['wal_2', `-${amount}`]) });
}
