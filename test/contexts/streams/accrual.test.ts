// What flows, against fractions that round nothing: whatever happens to a stream, and whenever (CONTRACT.md 3 "Math").
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fraction, readDecimal } from '../../../src/contexts/rates/fraction.js';
import {
  accruedAt,
  alertsAfter,
  checkpointed,
  depletesAt,
  endedAt,
  type Flow,
  healthAt,
  isOpenFlow,
  leftMs,
  nextStop,
  stepTo,
  streamedAt,
  withdrawableAt,
} from '../../../src/contexts/streams/accrual.js';
import { type GivenRate, printFlowRate, unitsPerMinor, unitsPerMs } from '../../../src/contexts/streams/flow-rate.js';

interface Fraction {
  num: bigint;
  den: bigint;
}
const whole = (value: bigint): Fraction => ({ num: value, den: 1n });
const sum = (a: Fraction, b: Fraction) => fraction(a.num * b.den + b.num * a.den, a.den * b.den);
const times = (a: Fraction, n: bigint) => fraction(a.num * n, a.den);
const isLess = (a: Fraction, b: Fraction) => a.num * b.den < b.num * a.den;
const down = ({ num, den }: Fraction) => num / den;

const scales = { USD: 2, JPY: 0, USDC: 6 } as const;
const periods = { second: 1_000n, minute: 60_000n, hour: 3_600_000n, day: 86_400_000n, month30: 2_592_000_000n } as const;

/** A stream in minor units and fractions of them, and what the payee has taken. */
interface Model {
  status: Flow['status'];
  rate: Fraction;
  flowed: Fraction;
  at: bigint;
  deposited: bigint;
  buffer: bigint;
  withdrawn: bigint;
  max: bigint | null;
  end: bigint | null;
}

/** Minor units in a millisecond. */
function rateIn(currency: keyof typeof scales, { amount, per }: GivenRate): Fraction {
  const { num, den } = readDecimal(amount);
  return fraction(num * 10n ** BigInt(scales[currency]), den * periods[per]);
}

/** Lets time pass, and nothing else, one boundary after the other. */
function pass(model: Model, at: bigint): Model {
  if (!['active', 'paused', 'exhausted'].includes(model.status)) return model;
  const until = model.end !== null && model.end < at ? model.end : at;
  let { flowed, status } = model;
  if (status === 'active') {
    const funds = model.deposited - model.buffer;
    const isLast = model.max !== null && model.max <= funds;
    const most = whole(isLast ? (model.max as bigint) : funds);
    flowed = sum(flowed, times(model.rate, until > model.at ? until - model.at : 0n));
    if (!isLess(flowed, most)) [flowed, status] = [most, isLast ? 'completed' : 'exhausted'];
  }
  if (model.end !== null && model.end <= at) status = 'completed';
  return { ...model, flowed, status, at };
}

type Step =
  | { kind: 'withdraw' | 'pause' | 'resume' | 'nothing' }
  | { kind: 'topUp'; amount: bigint }
  | { kind: 'rate'; rate: GivenRate }
  | { kind: 'max'; more: bigint };

const rate: fc.Arbitrary<GivenRate> = fc.record({
  amount: fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.stringMatching(/^\d{0,18}$/))
    .map(([digits, decimals]) => (decimals === '' ? `${digits}` : `${digits}.${decimals}`))
    .filter((text) => /[1-9]/.test(text)),
  per: fc.constantFrom(...(Object.keys(periods) as (keyof typeof periods)[])),
});
const minor = fc.oneof(fc.bigInt({ min: 1n, max: 100n }), fc.bigInt({ min: 1n, max: 10n ** 12n }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>({ kind: 'withdraw' }, { kind: 'pause' }, { kind: 'resume' }, { kind: 'nothing' }),
  minor.map((amount): Step => ({ kind: 'topUp', amount })),
  rate.map((given): Step => ({ kind: 'rate', rate: given })),
  minor.map((more): Step => ({ kind: 'max', more })),
);
const gap = fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 0, max: 3 * 86_400_000 }));
const start = Date.UTC(2026, 2, 2);
const history = fc.record({
  currency: fc.constantFrom<keyof typeof scales>('USD', 'JPY', 'USDC'),
  rate,
  deposit: minor,
  bufferPart: fc.bigInt({ min: 0n, max: 99n }),
  max: fc.option(minor),
  endsIn: fc.option(fc.integer({ min: 1, max: 10 * 86_400_000 })),
  steps: fc.array(fc.tuple(gap, step), { maxLength: 25 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function begin({ currency, rate: given, deposit, bufferPart, max, endsIn }: History): { flow: Flow; model: Model } {
  const buffer = (deposit * bufferPart) / 100n;
  const endsAt = endsIn === null ? null : new Date(start + endsIn);
  const shared = { status: 'active' as const, deposited: deposit, buffer, withdrawn: 0n };
  return {
    flow: {
      ...shared,
      currency,
      rateUnits: unitsPerMs(given),
      accrued: 0n,
      checkpointAt: new Date(start),
      returned: 0n,
      maxTotal: max,
      endsAt,
    },
    model: {
      ...shared,
      rate: rateIn(currency, given),
      flowed: whole(0n),
      at: BigInt(start),
      max,
      end: endsAt === null ? null : BigInt(endsAt.getTime()),
    },
  };
}

function apply(flow: Flow, model: Model, at: Date, taken: Step): { flow: Flow; model: Model } {
  if (!isOpenFlow(flow)) return { flow, model };
  const change = (next: Partial<Flow>, same: Partial<Model>) => ({ flow: checkpointed(flow, at, next), model: { ...model, ...same } });
  switch (taken.kind) {
    case 'withdraw': {
      const withdrawn = flow.withdrawn + withdrawableAt(flow, at);
      return change({ withdrawn }, { withdrawn: down(model.flowed) });
    }
    case 'pause':
      return flow.status === 'active' ? change({ status: 'paused' }, { status: 'paused' }) : change({}, {});
    case 'resume':
      return flow.status === 'paused' ? change({ status: 'active' }, { status: 'active' }) : change({}, {});
    case 'topUp': {
      const status = flow.status === 'exhausted' ? 'active' : flow.status;
      const deposited = flow.deposited + taken.amount;
      return change({ status, deposited }, { status, deposited });
    }
    case 'rate':
      return change({ rateUnits: unitsPerMs(taken.rate) }, { rate: rateIn(flow.currency as keyof typeof scales, taken.rate) });
    case 'max': {
      const max = streamedAt(flow, at) + taken.more;
      return change({ maxTotal: max }, { max });
    }
    case 'nothing':
      return { flow, model };
  }
}

describe('what flows', () => {
  it('is to the last fraction what fractions say, through any history', () => {
    fc.assert(
      fc.property(history, (told) => {
        let { flow, model } = begin(told);
        let at = start;
        for (const [ms, taken] of told.steps) {
          at += ms;
          const now = new Date(at);
          flow = stepTo(flow, now);
          model = pass(model, BigInt(at));
          expect(flow.status).toBe(model.status);
          const upm = unitsPerMinor(told.currency);
          // a/b = c/d without a division.
          expect(accruedAt(flow, now) * model.flowed.den).toBe(model.flowed.num * upm);
          if (isOpenFlow(flow)) expect(flow.withdrawn).toBe(model.withdrawn);
          expect(streamedAt(flow, now)).toBeLessThanOrEqual(flow.deposited - flow.buffer);
          ({ flow, model } = apply(flow, model, now, taken));
        }
        const ended = isOpenFlow(flow) ? endedAt(flow, new Date(at), 'cancelled') : flow;
        expect(ended.withdrawn + ended.returned).toBe(ended.deposited);
        expect(ended.withdrawn).toBe(down(model.flowed));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is the same however often it is looked at and written down', () => {
    fc.assert(
      fc.property(history, fc.array(fc.integer({ min: 0, max: 30 * 86_400_000 }), { maxLength: 20 }), (told, looks) => {
        const { flow } = begin(told);
        const end = new Date(start + 30 * 86_400_000);
        const written = looks
          .sort((a, b) => a - b)
          .reduce((before, ms) => {
            const at = new Date(start + ms);
            const now = stepTo(before, at);
            return isOpenFlow(now) ? checkpointed(now, at) : now;
          }, flow);
        const [a, b] = [stepTo(flow, end), stepTo(written, end)];
        expect(accruedAt(b, end)).toBe(accruedAt(a, end));
        expect([b.status, b.withdrawn, b.returned]).toEqual([a.status, a.withdrawn, a.returned]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stops in the millisecond that it says, and not one before', () => {
    fc.assert(
      fc.property(history, (told) => {
        const { flow } = begin(told);
        const stop = nextStop(flow);
        if (stop === null) return;
        expect(stepTo(flow, stop.at).status).toBe(stop.status);
        const before = new Date(stop.at.getTime() - 1);
        if (before >= flow.checkpointAt) expect(stepTo(flow, before).status).toBe('active');
        if (stop.status === 'exhausted') {
          expect(depletesAt(flow)).toEqual(stop.at);
          expect(leftMs(flow, flow.checkpointAt)).toBe(BigInt(stop.at.getTime() - start));
        } else expect(depletesAt(flow)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('becomes warning, critical and exhausted at the instants of its alerts', () => {
    fc.assert(
      fc.property(history, (told) => {
        const { flow } = begin(told);
        const alerts = alertsAfter(flow, healthAt(flow, flow.checkpointAt));
        for (const { severity, at } of alerts) {
          expect(healthAt(stepTo(flow, at), at)).toBe(severity);
          const before = new Date(at.getTime() - 1);
          if (before >= flow.checkpointAt) expect(healthAt(stepTo(flow, before), before)).not.toBe(severity);
        }
        expect(alerts.length > 0).toBe(depletesAt(flow) !== null);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a rate', () => {
  it.each([
    [{ amount: '0.01', per: 'second' }, '0.01'],
    [{ amount: '5000', per: 'month30' }, '0.001929012345679012'],
    [{ amount: '1', per: 'minute' }, '0.016666666666666666'],
    [{ amount: '3600.00', per: 'hour' }, '1'],
    [{ amount: '0.000000000000000001', per: 'second' }, '0.000000000000000001'],
    [{ amount: '0.000000000000000001', per: 'day' }, '0'],
  ] as [GivenRate, string][])('%j is %s a second', (given, flowRate) => expect(printFlowRate(given)).toBe(flowRate));

  it('of 30 days gives in 30 days what it says, and in a third of them a third', () => {
    const flow = {
      ...begin({
        currency: 'USD',
        rate: { amount: '10000.00', per: 'month30' },
        deposit: 10n ** 7n,
        bufferPart: 0n,
        max: null,
        endsIn: null,
        steps: [],
      }).flow,
    };
    expect(streamedAt(flow, new Date(start + 10 * 86_400_000))).toBe(333_333n);
    expect(streamedAt(flow, new Date(start + 30 * 86_400_000))).toBe(1_000_000n);
  });
});
