// What detectors say of what was seen, as tables: no database, no clock.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CountDetector,
  type Detector,
  detect,
  type Minute,
  medianOf,
  type ObservedFailure,
  type ObservedPayment,
  rateFloor,
  type Seen,
} from '../../../src/contexts/spending/breaker/detector.js';

const start = new Date('2026-03-02T10:00:00.000Z');
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const uuid = (n: number) => `01994d3e-7a80-7c3a-9d55-${String(n).padStart(12, '0')}`;
const [agent, shop, other] = [uuid(901), uuid(902), uuid(903)];

const payment = (seconds: number, extra: Partial<ObservedPayment> = {}): ObservedPayment => ({
  id: uuid(Math.round(seconds * 1000)),
  at: later(seconds),
  fromWalletId: agent,
  toWalletId: shop,
  amount: 500n,
  currency: 'USD',
  isOwn: true,
  isCompleted: true,
  ...extra,
});
const back = (seconds: number, extra: Partial<ObservedPayment> = {}) =>
  payment(seconds, { fromWalletId: shop, toWalletId: agent, isOwn: false, ...extra });
const minute = (number: number, spends: number): Minute => ({ start: later(number * 60), spends });
const seen = (part: Partial<Seen>): Seen => ({ payments: [], failures: [], minutes: [], since: start, ...part });
const counting = (kind: CountDetector['kind'], count: number, seconds: number): Detector => ({ kind, action: 'notify', count, seconds });

describe('same_payment, 3 in 60 s', () => {
  const detector = counting('same_payment', 3, 60);
  it.each<[string, ObservedPayment[], number | null]>([
    ['nothing', [], null],
    ['two', [payment(0), payment(1)], null],
    ['three', [payment(0), payment(1), payment(2)], 3],
    ['three, the last after exactly 60 s', [payment(0), payment(1), payment(60)], 3],
    ['three, the last after more', [payment(0), payment(1), payment(60.001)], null],
    ['three at one moment', [payment(0), payment(0), payment(0)], 3],
    ['three in the middle of slow ones', [payment(0), payment(100), payment(110), payment(120), payment(300)], 3],
    ['all that came within the time', [payment(0), payment(1), payment(2), payment(60)], 4],
    ['the newest of them', [payment(0), payment(1), payment(2), payment(3), payment(62)], 3],
    ['one of another amount', [payment(0), payment(1, { amount: 501n }), payment(2)], null],
    ['one in another currency', [payment(0), payment(1, { currency: 'EUR' }), payment(2)], null],
    ['one to another wallet', [payment(0), payment(1, { toWalletId: other }), payment(2)], null],
    ['one from another wallet of the agent', [payment(0), payment(1, { fromWalletId: other }), payment(2)], 3],
    ['holds', [payment(0, { isCompleted: false }), payment(1, { isCompleted: false }), payment(2, { isCompleted: false })], 3],
    ['what others paid', [back(0), back(1), back(2)], null],
    ['two kinds, of which one is enough', [payment(0), payment(1, { amount: 7n }), payment(2), payment(3, { amount: 7n }), payment(4)], 3],
  ])('%s', (_name, payments, count) => {
    expect(detect(detector, seen({ payments }))?.count ?? null).toBe(count);
  });

  it('shows what it was, from when to when, and the newest 20', () => {
    const payments = Array.from({ length: 25 }, (_, n) => payment(n, { amount: 1_234_567n, currency: 'USDC' }));
    expect(detect(detector, seen({ payments }))).toEqual({
      count: 25,
      from: start.toISOString(),
      to: later(24).toISOString(),
      transfer_ids: payments.slice(5).map(({ id }) => `tx_${id}`),
      to_wallet_id: `wal_${shop}`,
      amount: '1.234567',
      currency: 'USDC',
    });
  });

  it('trips exactly when some three of a kind fit into the time', () => {
    const spend = fc.record({ at: fc.integer({ min: 0, max: 200 }), amount: fc.integer({ min: 1, max: 2 }) });
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 12 }), (spends) => {
        const payments = spends.sort((a, b) => a.at - b.at).map(({ at, amount }) => payment(at, { amount: BigInt(amount) }));
        const fits = [1, 2].some((amount) => {
          const times = spends.filter((one) => one.amount === amount).map(({ at }) => at);
          return times.some((time, n) => (times[n + 2] ?? Number.POSITIVE_INFINITY) - time <= 60);
        });
        expect(detect(detector, seen({ payments })) !== null).toBe(fits);
      }),
    );
  });
});

describe('failures, 3 in 60 s', () => {
  const detector = counting('failures', 3, 60);
  const failure = (seconds: number, code = 'insufficient_balance', transferId: string | null = null): ObservedFailure => ({
    at: later(seconds),
    code,
    transferId,
  });
  it.each<[string, ObservedFailure[], number | null]>([
    ['two', [failure(0), failure(1)], null],
    ['three', [failure(0), failure(1), failure(60)], 3],
    ['three over a longer time', [failure(0), failure(1), failure(61)], null],
    ['three of different codes', [failure(0), failure(1, 'policy_violation'), failure(2, 'rail_rejected', uuid(1))], 3],
    ['refusals by a freeze', ['workspace_frozen', 'agent_frozen', 'agent_suspended'].map((code) => failure(0, code)), null],
  ])('%s', (_name, failures, count) => {
    expect(detect(detector, seen({ failures }))?.count ?? null).toBe(count);
  });

  it('shows the codes, and the transfers that failed', () => {
    const failures = [failure(0), failure(1), failure(2, 'rail_rejected', uuid(7))];
    expect(detect(detector, seen({ failures }))).toEqual({
      count: 3,
      from: start.toISOString(),
      to: later(2).toISOString(),
      transfer_ids: [`tx_${uuid(7)}`],
      codes: { insufficient_balance: 2, rail_rejected: 1 },
    });
  });
});

describe('ping_pong, 2 in 60 s', () => {
  const detector = counting('ping_pong', 2, 60);
  it.each<[string, ObservedPayment[], number | null]>([
    ['there, back and there', [payment(0), back(1), payment(2)], null],
    ['twice there and back', [payment(0), back(1), payment(2), back(3)], 2],
    ['begun by the other', [back(0), payment(1), back(2), payment(3)], 2],
    ['with other amounts', [payment(0), back(1, { amount: 1n }), payment(2, { amount: 2n }), back(3, { amount: 3n })], 2],
    ['several payments in one direction are one turn', [payment(0), payment(1), back(2), back(3), payment(4), back(5)], 2],
    ['there, there, back, back', [payment(0), payment(1), back(2), back(3)], null],
    ['an early first payment of a turn does not count against it', [payment(-100), payment(0), back(1), payment(2), back(60)], 2],
    ['over a longer time', [payment(0), back(1), payment(2), back(61)], null],
    ['three times', [payment(0), back(1), payment(2), back(3), payment(4), back(5)], 3],
    ['the newest are over a longer time', [payment(0), back(1), payment(2), back(3), payment(300)], 2],
    ['with holds', [payment(0), back(1), payment(2, { isCompleted: false }), back(3)], null],
    ['with two others', [payment(0), back(1), payment(2, { toWalletId: other }), back(3, { fromWalletId: other })], null],
  ])('%s', (_name, payments, count) => {
    expect(detect(detector, seen({ payments }))?.count ?? null).toBe(count);
  });

  it('shows both wallets, and the payments between the first and the last', () => {
    const payments = [payment(0), back(1), payment(2), back(3)];
    expect(detect(detector, seen({ payments }))).toEqual({
      count: 2,
      from: start.toISOString(),
      to: later(3).toISOString(),
      transfer_ids: payments.map(({ id }) => `tx_${id}`),
      wallet_ids: [`wal_${agent}`, `wal_${shop}`],
    });
  });
});

describe('rate, 3 times the median', () => {
  const detector: Detector = { kind: 'rate', action: 'notify', factor: 3 };
  const day = 1_440;
  it.each<[string, Minute[], number | null]>([
    ['no minute', [], null],
    ['nothing to compare with', [minute(0, 1_000)], null],
    ['three times', [minute(-2, 5), minute(-1, 5), minute(0, 15)], 15],
    ['less', [minute(-2, 5), minute(-1, 5), minute(0, 14)], null],
    ['an odd one does not raise the median', [minute(-3, 4), minute(-2, 900), minute(-1, 4), minute(0, 12)], 12],
    ['the mean of two in the middle', [minute(-2, 4), minute(-1, 6), minute(0, 14)], null],
    ['few, below the floor', [minute(-1, 1), minute(0, rateFloor - 1)], null],
    ['as many as the floor', [minute(-1, 1), minute(0, rateFloor)], rateFloor],
    ['a day ago counts', [minute(-day, 5), minute(0, 15)], 15],
    ['more than a day ago does not', [minute(-day - 1, 5), minute(0, 15)], null],
    ['minutes that were judged before', [minute(-2, 5), minute(-1, 50)], null],
    ['a later minute', [minute(0, 5), minute(1, 15)], 15],
  ])('%s', (_name, minutes, count) => {
    expect(detect(detector, seen({ minutes }))?.count ?? null).toBe(count);
  });

  it('shows the minute, what it was compared with, and the spends in it', () => {
    const payments = [payment(-1), payment(0), payment(30), back(31), payment(60)];
    expect(detect(detector, seen({ minutes: [minute(-2, 4), minute(-1, 6), minute(0, 20)], payments }))).toEqual({
      count: 20,
      from: start.toISOString(),
      to: later(60).toISOString(),
      transfer_ids: [payment(0), payment(30)].map(({ id }) => `tx_${id}`),
      median: 5,
      minutes: 2,
    });
  });
});

describe('medianOf', () => {
  it.each<[number[], number | null]>([
    [[], null],
    [[3], 3],
    [[9, 1], 5],
    [[9, 1, 2], 2],
    [[10, 2, 30, 4], 7],
  ])('%j is %j', (numbers, median) => expect(medianOf(numbers)).toBe(median));
});
