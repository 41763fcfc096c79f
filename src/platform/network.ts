// Which addresses count as one: those that one customer has at will.

/** Two bytes each, eight of them: `2001:db8::1` -> `2001:0db8:0000:...`. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => group.toLowerCase().padStart(4, '0'));
}

// Gap G-18: An IPv6 caller is its /64 network, because one customer can use all addresses of it.
/** What a budget belongs to: an IPv4 address, or the /64 network of an IPv6 one, which one customer can fill at will. */
export function networkOf(address: string): string {
  return address.includes(':') ? `${ipv6Groups(address).slice(0, 4).join(':')}::/64` : address;
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one: what one customer mostly has at most. */
export function networkAround(address: string): string {
  if (address.includes(':')) return `${ipv6Groups(address).slice(0, 3).join(':')}::/48`;
  return `${address.split('.').slice(0, 3).join('.')}.0/24`;
}
