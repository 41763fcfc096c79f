// Middlewares as one. Koa makes its way through a list anew for each request; what a route passes is known when the process starts.
import type { Handler } from './state.js';

/** The handlers in order, each of which is given the rest of them as `next`. */
export function compose([first, ...others]: readonly Handler[]): Handler {
  if (first === undefined) return (_http, next) => next();
  if (others.length === 0) return settled(first);
  const rest = compose(others);
  return (http, next) => first(http, () => rest(http, next));
}

/** The last handler may answer without a promise, and throw; those before it wait for one. */
function settled(last: Handler): Handler {
  return (http, next) => {
    try {
      return Promise.resolve(last(http, next));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}
