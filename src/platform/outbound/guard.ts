// The egress guard: which addresses a request to a URL that a tenant chose may reach (CONTRACT.md 16 "Egress guard"). Asked of the
// URL as it is written, and again of every address before it is connected to: a name may resolve to anything, at any time.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { BlockList, isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';

/** An address that nothing is sent to. */
export class EgressRefused extends Error {}

// IPv4 and IPv6 are kept apart: a list with ::ffff:0:0/96 in it blocks every IPv4 address.
const refusedIPv4 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24],
  ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4], ['168.63.129.16', 32],
] as const) refusedIPv4.addSubnet(network, prefix, 'ipv4'); // biome-ignore format: one family, the last a cloud's metadata

// Of IPv6 only global unicast is reached; loopback, link-local, unique local, multicast, mapped and NAT64 lie outside it.
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const refusedIPv6 = new BlockList();
// Protocol assignments with Teredo, documentation, 6to4.
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refusedIPv6.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address, without brackets, is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIPv4.check(address, 'ipv4');
    case 6:
      return !address.includes('%') && globalUnicast.check(address, 'ipv6') && !refusedIPv6.check(address, 'ipv6');
    default:
      return false;
  }
}

const privateName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|localdomain)\.?$/;
const longestUrl = 2_048;

const plainHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** The port of a URL, that of its scheme where it names none. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** Whether `url` names one of `allowHosts`, host and port alike. */
export function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.includes(`${url.hostname}:${portOf(url)}`);
}

/** Whether a URL names a private, local or reserved host by itself. */
export function isPrivateHost(url: URL): boolean {
  const host = plainHost(url.hostname);
  return isIP(host) === 0 ? privateName.test(host) : !isPublicAddress(host);
}

/** What is wrong with `text` as a place to send to, in words that follow "url"; undefined when nothing is. */
export function egressProblem(text: string, allowHosts: readonly string[]): string | undefined {
  if (text.length > longestUrl) return `is longer than ${longestUrl} characters`;
  // What URL leaves out as it reads, another reader may not.
  if (/[\s\p{Cc}]/u.test(text)) return 'must have no white space';
  if (!URL.canParse(text)) return 'is no URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must carry no credentials';
  if (isAllowedHost(url, allowHosts)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (/^\.|\.\./.test(url.hostname)) return 'has a host name with an empty part';
  const port = portOf(url);
  if (port !== 443 && port < 1024) return 'must have port 443, or one from 1024 on';
  if (isPrivateHost(url)) return 'must not lead to a private, local or reserved address';
  return undefined;
}

/** Tells the addresses of a name. */
export type FindAddresses = (hostname: string) => Promise<readonly LookupAddress[]>;

type Lookup = (
  hostname: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** The addresses of a name that are public. Rejects with EgressRefused when there are only others. */
async function publicAddresses(hostname: string, find: FindAddresses): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = (await find(hostname)).filter(({ address }) => isPublicAddress(address));
  if (first === undefined) throw new EgressRefused(`${hostname} leads to a private, local or reserved address`);
  return [first, ...others];
}

function publicLookup(find: FindAddresses): Lookup {
  return (hostname, options, done) =>
    void publicAddresses(hostname, find).then(
      (found) => (options.all === true ? done(null, found) : done(null, found[0].address, found[0].family)),
      (error: Error) => done(error, '', 0),
    );
}

/** True when a name resolves, and to nothing public. A name that does not resolve (yet) is not refused. */
export async function leadsToPrivate(hostname: string, find: FindAddresses): Promise<boolean> {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return publicAddresses(host, find).then(
    () => false,
    (error) => error instanceof EgressRefused,
  );
}

/** Connects to public addresses alone: to the one that was looked up and checked, never to a second answer of the resolver. */
export function guardedConnector(timeoutMs: number, find: FindAddresses): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup(find) } as buildConnector.BuildOptions);
  return (options, done) => {
    const host = plainHost(options.hostname);
    // The lookup is not called for an address.
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      done(new EgressRefused(`${host} is a private, local or reserved address`), null);
      return;
    }
    connect(options, (...result) => {
      // Undici leaves it out after an error.
      const socket: Socket | null | undefined = result[1];
      if (socket == null || isPublicAddress(socket.remoteAddress ?? '')) return done(...result);
      socket.destroy();
      done(new EgressRefused(`${host} was connected to at a private, local or reserved address`), null);
    });
  };
}
