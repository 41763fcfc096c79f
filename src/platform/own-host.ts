// By which hosts the platform itself is reached. They are looked at before any host of a shop, and no shop is given one.
import { isIP } from 'node:net';
import { hostname as machineName } from 'node:os';
import type { Config } from '../config.js';
import { isLoopback } from './authority.js';

/** A Host header as names are compared: in lower case, without a dot at its end and without a port that goes without saying. */
export interface ReadHost {
  /** The name without a port. */
  name: string;
  /** The name with its port, where that is said. */
  host: string;
}

const form = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])\.?(?::(\d{1,5}))?$/i;
/** Ports that callers leave out. */
const unsaid = ['80', '443'];

// Gap G-720: A host is compared without its letter case, a dot at its end, and the ports 80 and 443.
/** Reads a Host header; null for what is none. */
export function readHost(header: string): ReadHost | null {
  const [, given, port] = (header.length <= 261 && form.exec(header)) || [];
  if (given === undefined) return null;
  const name = given.toLowerCase();
  return { name, host: port === undefined || unsaid.includes(port) ? name : `${name}:${Number(port)}` };
}

/** The host names of our own addresses, and of the machine that we run on. */
export function ownNames({ baseUrl, sandboxUrl, host }: Pick<Config, 'baseUrl' | 'sandboxUrl' | 'host'>): ReadonlySet<string> {
  const urls = [baseUrl, sandboxUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return new Set([...urls, host, machineName()].map((name) => name.toLowerCase()));
}

/** True for a name that leads to the platform itself: its own, one of this machine, or an address. */
export function isOwnName(name: string, own: ReadonlySet<string>): boolean {
  return own.has(name) || isLoopback(name) || isIP(name) !== 0 || name.startsWith('[');
}
