// The REST face of sandbox.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'sandbox',
  'The sandbox only: its clock, and events to try a receiver with. In production these answer 403 test_mode_only.',
);
