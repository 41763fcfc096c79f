// The REST face of audit.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'audit',
  'The audit log: every change by anybody, as the leaves of a tree of hashes, so that what was changed afterwards is found.',
);
