// Which Host counts, by properties: whatever a caller names, documents lead to the public address, to the listener or to this machine.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originFor } from '../../src/platform/authority.js';

const socket = { localAddress: '::ffff:10.1.2.3', localPort: 4001 };
const by = (host: string | undefined, listener: object = {}) =>
  originFor({ baseUrl: null, host: '0.0.0.0', ...listener }, { headers: host === undefined ? {} : { host }, socket });

describe('the origin of a listener', () => {
  it('is the public address, whoever asks', () => {
    fc.assert(fc.property(fc.string(), (host) => by(host, { baseUrl: 'https://pay.example/' }) === 'https://pay.example'));
    expect(by('localhost:4001', { baseUrl: 'https://pay.example' })).toBe('https://pay.example');
  });

  it('is this machine under any port, as it was named', () => {
    const names = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'LOCALHOST');
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const origin = `http://${name.toLowerCase()}${port === 80 ? '' : `:${port}`}`;
        return by(`${name}:${port}`) === origin;
      }),
    );
  });

  it('is the address that was listened on', () => {
    expect(by('10.1.2.3:4001')).toBe('http://10.1.2.3:4001');
    expect(by('pay.internal:4001', { host: 'pay.internal' })).toBe('http://pay.internal:4001');
    expect(by('[fd00::1]:4001', { host: 'fd00::1' })).toBe('http://[fd00::1]:4001');
    for (const host of ['10.1.2.3', '10.1.2.3:4000', '10.1.2.4:4001']) expect(by(host)).toBe('http://localhost:4001');
  });

  it('is the first listening address for any other Host', () => {
    const first = (host: string) => by('evil.example', { host });
    expect(['0.0.0.0', '::', '10.1.2.3', '::1'].map(first)).toEqual([
      'http://localhost:4001',
      'http://localhost:4001',
      'http://10.1.2.3:4001',
      'http://[::1]:4001',
    ]);
    expect(by(undefined)).toBe('http://localhost:4001');
    const hosts = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.webAuthority({ withUserInfo: true, withPort: true }),
      fc.string(),
    );
    fc.assert(fc.property(hosts, (host) => ['localhost', '127.0.0.1', '[::1]', '10.1.2.3'].includes(new URL(by(host)).hostname)));
  });
});
