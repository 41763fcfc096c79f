// Networks that callers name, as CIDR: which addresses are in them.
import { BlockList, isIP } from 'node:net';

export interface Cidr {
  address: string;
  /** Bits that every address of the network has in common. */
  bits: number;
  family: 'ipv4' | 'ipv6';
}

const familyOf = (address: string): Cidr['family'] | null => ({ 4: 'ipv4' as const, 6: 'ipv6' as const })[isIP(address)] ?? null;
const longest = { ipv4: 32, ipv6: 128 };

/** The network that `text` names, such as `203.0.113.0/24`; null where it names none. */
export function parseCidr(text: string): Cidr | null {
  const [address = '', length = '', ...more] = text.split('/');
  const family = address.includes('%') ? null : familyOf(address);
  if (family === null || more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return null;
  const bits = Number(length);
  return bits > longest[family] ? null : { address, bits, family };
}

/** True for a network of every address of its family. */
export function isWhole({ bits }: Cidr): boolean {
  return bits === 0;
}

/** What tells whether an address is in one of the networks. It is made once, for many addresses. */
export function networkCheck(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (cidr !== null) list.addSubnet(cidr.address, cidr.bits, cidr.family);
  }
  return (address) => {
    const plain = address.replace(/%.*$/, '');
    const family = familyOf(plain);
    return family !== null && list.check(plain, family);
  };
}
