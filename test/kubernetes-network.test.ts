// The network policies of deploy/kubernetes: what a pod may reach.
import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Json } from './harness.js';
import { named, ofKind } from './kubernetes.js';

describe('the network', () => {
  const egress = ofKind('NetworkPolicy').flatMap(({ spec }) => spec.egress ?? []);
  const family = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
  const within = (cidr: string, address: string) => {
    const [net = '', bits] = cidr.split('/');
    const list = new BlockList();
    list.addSubnet(net, Number(bits), family(net));
    return family(net) === family(address) && list.check(address, family(address));
  };
  /** The ports at which an address may be reached. */
  const openAt = (address: string): number[] =>
    egress.flatMap(({ to, ports }: Json) => {
      const isOpen = to.some(
        ({ ipBlock }: Json) => ipBlock && within(ipBlock.cidr, address) && !ipBlock.except?.some((cidr: string) => within(cidr, address)),
      );
      return isOpen ? ports.map(({ port }: Json) => port) : [];
    });

  it('is closed unless a policy opens it', () => {
    const closed = named('NetworkPolicy', 'all-closed').spec;
    expect(closed).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const rule of egress) expect([rule.to?.length > 0, rule.ports?.length > 0]).toEqual([true, true]);
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '127.0.0.1', '::1', '192.168.0.1', '172.16.0.1', '100.100.100.200'])(
    'does not lead to %s',
    (address) => {
      expect(openAt(address)).toEqual([]);
    },
  );

  it('leads to the public, to PostgreSQL and Redis, and to name servers', () => {
    expect([openAt('93.184.216.34'), openAt('2606:2800:220:1::1')]).toEqual([[443], [443]]);
    expect(openAt('10.1.2.3')).toEqual([5432, 6379]);
    const [names] = egress.filter(({ to }: Json) => to[0].namespaceSelector !== undefined);
    expect(names.ports).toEqual(['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })));
  });
});
