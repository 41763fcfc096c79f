// Whose request it is, by address. X-Forwarded-For is believed only as far as `TRUSTED_PROXIES` says (ARCHITECTURE.md 9).
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** `::ffff:10.0.0.1` -> `10.0.0.1`; null when `text` is no address. A port and brackets around IPv6 are dropped. */
function plainAddress(text: string): string | null {
  const bare = text.startsWith('[') ? text.slice(1).replace(/\](:\d+)?$/, '') : text.replace(/^([\d.]+):\d+$/, '$1');
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1];
  const address = mapped ?? bare;
  return isIP(address) === 0 ? null : address;
}

/**
 * The address of the client. Each trusted proxy appended one entry to X-Forwarded-For, so the client is the
 * `trustedProxies`-th from the right; what stands further left was written by the client itself.
 */
export function clientAddress(req: IncomingMessage, trustedProxies: number): string {
  const peer = req.socket.remoteAddress ?? '';
  const forwarded = req.headers['x-forwarded-for'];
  if (trustedProxies > 0 && typeof forwarded === 'string') {
    const hops = forwarded.split(',');
    const address = plainAddress((hops[Math.max(0, hops.length - trustedProxies)] ?? '').trim());
    if (address !== null) return address;
  }
  return peer.startsWith('::ffff:') ? (plainAddress(peer) ?? peer) : peer;
}
