// Where a request to a tenant's URL may go (CONTRACT.md 16 "Egress guard"): by table, by the resolver, and at the connection itself.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { egressProblem, isPublicAddress } from '../../../src/platform/outbound/guard.js';
import { NameServer } from '../../name-server.js';

describe('an address', () => {
  const open = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '2606:4700::1111'];
  const refused = {
    'this network': ['0.0.0.0', '0.1.2.3', '::'],
    loopback: ['127.0.0.1', '127.255.255.254', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
    'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
    metadata: ['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200'],
    CGNAT: ['100.64.0.1', '100.127.255.255'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
    reserved: ['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
    'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
    'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
    NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
    '6to4': ['2002:7f00:1::', '2002:808:808::1'],
    'Teredo and documentation': ['2001::1', '2001:db8::1', '3fff::1'],
    'no address': ['', 'localhost', '999.1.1.1'],
  };
  it('of the public internet is open', () => {
    for (const address of open) expect([address, isPublicAddress(address)]).toEqual([address, true]);
  });
  for (const [kind, addresses] of Object.entries(refused)) {
    it(`is refused: ${kind}`, () => {
      for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false]);
    });
  }
});

describe('a URL', () => {
  const allow = ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'];
  it('is taken', () => {
    const good = ['https://example.com/hook', 'https://example.com:443/', 'https://example.com:8443/x?y=z', 'https://1.1.1.1/'];
    const allowed = ['http://127.0.0.1:3000/hook', 'https://localhost:3000/', 'http://[::1]:3000/', 'http://LOCALHOST:3000/'];
    for (const url of [...good, ...allowed]) expect([url, egressProblem(url, allow)]).toEqual([url, undefined]);
  });
  it('is refused, however an address is spelled', () => {
    const bad = [
      'example.com', 'ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'http://example.com/', 'https://user:pw@example.com/',
      'https://user@127.0.0.1:3000/', 'https://example.com:80/', 'https://example.com:22/', 'https://example.com:1023/', 'https://127.0.0.1/',
      'https://127.0.0.1:3001/', 'http://localhost:3001/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.0.0.1/', 'https://0177.0.0.1/',
      'https://localhost/', 'https://localhost./', 'https://sub.localhost/', 'https://printer.local/', 'https://metadata.google.internal/',
      'https://169.254.169.254/latest/meta-data', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/',
      'https://[64:ff9b::10.0.0.1]/', 'https://[2002:7f00:1::]/', 'https://10.1.2.3:8443/', `https://example.com/${'x'.repeat(2048)}`,
    ]; // biome-ignore format: a table
    for (const url of bad) expect([url, egressProblem(url, allow)]).toEqual([url, expect.any(String)]);
  });
});

describe('a connection', () => {
  const server = createServer();
  let connections = 0;
  let port = 0;
  beforeAll(async () => {
    server.on('connection', (socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => void server.close());

  it('is not made to a name that leads to a private address', async () => {
    const names = await NameServer.start();
    const outbound = new Outbound({ allowHosts: [], nameServers: [names.address] });
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254']) {
      const name = `name-${address.length}.example`;
      names.lead(name, [address]);
      expect(await outbound.leadsToPrivate(name, 'w')).toBe(true);
      const result = await outbound.post(`https://${name}:${port}/`, { workspaceId: 'w', mayBePrivate: true, headers: {}, body: '{}' });
      expect(result).toMatchObject({ refused: true, status: null, error: expect.stringContaining('private') });
    }
    await outbound.close();
    await names.stop();
    expect(connections).toBe(0);
  });

  it('is made to a private host that is allowed, and not for those who may not use that', async () => {
    const outbound = new Outbound({ allowHosts: [`127.0.0.1:${port}`] });
    const send = (mayBePrivate: boolean) =>
      outbound.post(`http://127.0.0.1:${port}/`, { workspaceId: 'w', mayBePrivate, headers: {}, body: '{}' });
    expect(await send(false)).toMatchObject({ refused: true });
    expect(connections).toBe(0);
    expect(await send(true)).toMatchObject({ refused: false, status: null, error: expect.any(String) });
    expect(connections).toBe(1);
    await outbound.close();
  });

  it('a name that does not resolve is no refusal', async () => {
    const names = await NameServer.start();
    const outbound = new Outbound({ allowHosts: [], nameServers: [names.address] });
    expect(await outbound.leadsToPrivate('nowhere.invalid', 'w')).toBe(false);
    names.lead('half.example', ['10.0.0.1', '1.1.1.1']);
    expect(await outbound.leadsToPrivate('half.example', 'w')).toBe(false);
    expect(await outbound.leadsToPrivate('1.1.1.1', 'w')).toBe(false);
    expect(await outbound.leadsToPrivate('10.0.0.1', 'w')).toBe(true);
    await outbound.close();
    await names.stop();
  });
});
