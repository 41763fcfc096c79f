// The REST face of settlement.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'settlement',
  'Money that leaves the platform: bank accounts, payouts, settlement windows and config, and the simulated rails of the sandbox.',
);
