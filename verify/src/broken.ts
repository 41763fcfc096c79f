// What is wrong with a pack.

/** What is checked, in this order. */
export const legs = [
  'format',
  'head',
  'witness',
  'inclusion',
  'consistency',
  'posting',
  'offer',
  'decision',
  'limits',
  'approval',
  'mandate',
  'receipt',
  'refund',
  'delivery',
] as const;
export type Leg = (typeof legs)[number];

/** A leg that does not hold. */
export class Broken extends Error {
  readonly leg: Leg;

  constructor(leg: Leg, message: string) {
    super(message);
    this.leg = leg;
  }
}

/** Throws where something does not hold. */
export function hold(leg: Leg, holds: boolean, message: string): asserts holds {
  if (!holds) throw new Broken(leg, message);
}
