// The REST face of settlement-rules.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'settlement-rules',
  'Settlement rules: what is done with the money of a wallet, when, and each time that it was.',
);
