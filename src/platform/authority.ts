// Under which address documents name a listener. The Host header is the caller's word: only one that can lead nowhere else counts.
import type { IncomingMessage } from 'node:http';

/** The names by which a machine reaches itself, as URLs spell them. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True for the host name of a URL that leads to the machine itself. */
export function isLoopback(hostname: string): boolean {
  return loopback.has(hostname);
}

/** True for a Host header by which a machine calls itself, with any port. */
export function isLoopbackHost(text: string): boolean {
  const hostname = readHost(text)?.hostname ?? '';
  return isLoopback(hostname) || /^127(?:\.\d+){3}$/.test(hostname);
}

/** The origin of a listener for a caller on its machine: `localhost` where it listens on every address. */
export function listeningOrigin(host: string, port: number | undefined): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${bracketed(name)}${port === undefined ? '' : `:${port}`}`;
}

export interface ListenerAddress {
  /** Its public address; null where none is configured. */
  baseUrl: string | null;
  /** Where it listens, as HOST says it. */
  host: string;
}

type AuthorityRequest = Pick<IncomingMessage, 'headers'> & { socket: Pick<IncomingMessage['socket'], 'localAddress' | 'localPort'> };

// Gap G-417: Without BASE_URL a Host counts that names the listening address or this machine; any other gets the first address.
/**
 * The origin of a listener in what it answers to a request, without a slash at the end: the public address where there is one, whatever the
 * Host header says. Without one a Host counts that names the address that was listened on, or this machine with any port, for ports are
 * mapped; any other leads to the first listening address.
 */
export function originFor({ baseUrl, host }: ListenerAddress, { headers, socket }: AuthorityRequest): string {
  if (baseUrl !== null) return baseUrl.replace(/\/+$/, '');
  const named = readHost(headers.host ?? '');
  if (named !== null && (isLoopback(named.hostname) || isListening(named, host, socket))) return named.origin;
  return listeningOrigin(host, socket.localPort);
}

/** Null for what is no host with a port. */
function readHost(text: string): URL | null {
  return /^[A-Za-z0-9.:[\]-]{1,255}$/.test(text) && URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
}

function isListening({ hostname, port }: URL, host: string, { localAddress, localPort }: AuthorityRequest['socket']): boolean {
  const addresses = [host.toLowerCase(), (localAddress ?? '').replace(/^::ffff:/, '')].map(bracketed);
  return addresses.includes(hostname) && Number(port || 80) === localPort;
}

function bracketed(name: string): string {
  return name.includes(':') ? `[${name}]` : name;
}
