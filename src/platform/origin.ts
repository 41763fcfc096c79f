// Under which address callers reach us, for documents and answers that name it.
import type { Config } from '../config.js';
import type { Environment } from './ctx.js';

/**
 * The public address of a listener, without a slash at its end: the one that is set (BASE_URL, SANDBOX_URL), else the one that the
 * request was sent to.
 */
export function publicOrigin({ baseUrl, sandboxUrl }: Pick<Config, 'baseUrl' | 'sandboxUrl'>, environment: Environment, host = ''): string {
  const set = environment === 'live' ? baseUrl : sandboxUrl;
  return (set ?? `http://${host}`).replace(/\/+$/, '');
}
