// The REST face of treasury.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'treasury',
  'The proof that the books are right, and what they say of the money: where it stands, what is promised, how long it lasts.',
);
