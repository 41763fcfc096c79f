// The layers of the spend pipeline, in the order in which they are asked (CONTRACT.md 0 "Spend pipeline").

/**
 * The first layer that refuses decides the code, through whatever door a spend came. `credential` is who asks; `claim` is what the
 * request uses up once for ever; `capacity` is what a wallet can hold.
 */
export const layers = [
  'credential',
  'claim',
  'party',
  'workspace',
  'agent',
  'wallet',
  'kya',
  'policy',
  'budget',
  'mandate',
  'balance',
  'capacity',
] as const;
export type Layer = (typeof layers)[number];

/** The layers that a decision reports. The others say that a request is faulty, not that a spend is denied. */
export const decidingLayers = [
  'workspace',
  'agent',
  'wallet',
  'kya',
  'policy',
  'budget',
  'mandate',
  'balance',
] as const satisfies readonly Layer[];
export type DecidingLayer = (typeof decidingLayers)[number];

/** The layers that are made of rules: each gives uses of limits and results of rules. */
export type RuleLayer = Extract<DecidingLayer, 'kya' | 'policy' | 'budget' | 'mandate'>;

/** True for a layer that a decision reports. */
export function isDeciding(layer: Layer): layer is DecidingLayer {
  return (decidingLayers as readonly Layer[]).includes(layer);
}
