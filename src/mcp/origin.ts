// Whether a request may come from the page that it names: MCP asks for it, against pages that reach a local server through a name of
// their own (DNS rebinding). Programs send no Origin.
import { admitsOrigin } from '../http/cors.js';
import type { Handler } from '../http/state.js';
import { isLoopback } from '../platform/authority.js';
import { Forbidden } from '../platform/errors.js';

// Gap G-390: MCP may be called by pages of our own address and of `CORS_ORIGINS`; programs send no Origin.
/**
 * Refuses pages of other origins than those that may call the platform, and the listener's own: its public address, or without one this
 * machine at its port.
 */
export function refuseOrigins(baseUrl: string | null, allowed: readonly string[]): Handler {
  return (http, next) => {
    const origin = http.get('Origin');
    if (origin === '' || admitsOrigin(allowed, origin) || isOurs(origin, baseUrl, http.req.socket.localPort)) return next();
    throw new Forbidden('MCP is not served to pages of other origins.');
  };
}

function isOurs(origin: string, baseUrl: string | null, port: number | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (baseUrl !== null) return url.origin === new URL(baseUrl).origin;
  return url.protocol === 'http:' && isLoopback(url.hostname) && url.port === String(port);
}
