// Who reads /metrics: this machine at the public ports, and everybody who reaches METRICS_PORT.
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.js';
import { createLogger } from '../src/platform/log.js';
import { startServer } from '../src/server.js';
import { useHarness } from './harness.js';

const harness = useHarness();

describe('GET /metrics', () => {
  const elsewhere = Object.values(os.networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  const start = async (env: Record<string, string>) => {
    const { config } = harness.platform;
    return startServer({
      config: {
        ...config,
        ...loadConfig({ PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0', HOST: '0.0.0.0', ...env }),
        databaseUrl: config.databaseUrl as string,
        secretsKey: config.secretsKey as string,
      },
      log: createLogger('fatal'),
      pollMs: 0,
    });
  };
  const from = async (url: string, path: string, headers: Record<string, string> = {}) => (await fetch(url + path, { headers })).status;

  it.each(['X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded', 'X-Real-IP', 'Via'])(
    '404 for what a proxy of this machine passes on (%s)',
    async (name) => {
      for (const url of [harness.test.url, harness.live.url]) {
        expect(await from(url, '/metrics', { [name]: '127.0.0.1' })).toBe(404);
        for (const path of ['/health', '/ready']) expect(await from(url, path, { [name]: '127.0.0.1' })).toBe(200);
      }
    },
  );

  it.skipIf(elsewhere === undefined)(
    '404 at the public ports for another machine, and 200 on METRICS_PORT, or where they are public',
    async () => {
      const closed = await start({});
      const open = await start({ METRICS_PUBLIC: 'true' });
      const seen = (url = '') => url.replace('localhost', elsewhere?.address ?? '');
      expect(await from(closed.urls.test ?? '', '/metrics')).toBe(200);
      for (const url of [closed.urls.test, closed.urls.live]) {
        expect(await from(seen(url), '/metrics')).toBe(404);
        for (const path of ['/health', '/ready']) expect(await from(seen(url), path)).toBe(200);
      }
      expect(await from(seen(closed.metricsUrl), '/metrics', { Via: '1.1 proxy' })).toBe(200);
      for (const url of [open.urls.test, open.urls.live]) expect(await from(seen(url), '/metrics', { Via: '1.1 proxy' })).toBe(200);
      await Promise.all([closed.stop(), open.stop()]);
    },
  );
});
