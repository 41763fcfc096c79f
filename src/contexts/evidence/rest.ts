// The REST face of evidence.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'evidence',
  'The transparency log of the workspace: signed heads over everything that was done, and proofs that others check without us.',
);
