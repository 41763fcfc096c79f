// Where a sign-in leads back to: a page of the console, by its path. Whatever a browser could read as another place is refused, so the path is
// made of a few characters: no dot, no backslash, no colon, and nothing encoded before the query.
import { ValidationFailed } from '../../platform/errors.js';

const pattern = /^\/console(?:\/[A-Za-z0-9_-]+)*\/?(?:\?[A-Za-z0-9_.~=&%+-]*)?$/;
const longest = 500;

/** The page that a request names, the console by default; 400 for anything else. */
export function readReturnTo(given: string | null | undefined): string {
  if (given == null) return '/console';
  if (given.length > longest || !pattern.test(given))
    throw new ValidationFailed([{ path: ['returnTo'], message: 'must be the path of a page below /console', rule: 'format' }]);
  return given;
}
