// The commands about shops.
import { parseArgs } from 'node:util';
import { openRunningData } from '../platform/data-home.js';
import { createLogger } from '../platform/log.js';
import { startServer } from '../server.js';
import { flag, ofData, required, say, settingsOf, text } from './argument.js';
import { environmentOfMerchant, platformUrl, readListen } from './shop.js';
import { addShopHost, listShopHosts, removeShopHost } from './shop-host.js';
import { environmentOf, withPlatform, withTenant } from './with-platform.js';

const ofMerchant = { ...ofData, merchant: text, tenant: text, environment: text };

type Change = typeof addShopHost;

/** Reads a command that names a host, and does it. */
const changeHost = (change: Change, done: (host: string) => string) => async (args: string[]) => {
  const { values, positionals } = parseArgs({ args, options: ofMerchant, allowPositionals: true });
  const named = { host: required(positionals[0], 'host'), merchant: required(values.merchant, 'merchant') };
  await withTenant(values, environmentOf(values.environment), async (platform, workspace) => {
    await change(platform, workspace, named);
    say(done(named.host));
  });
};

/** What each of them does with its arguments. */
export const shopCommands = {
  'shop-host add': changeHost(addShopHost, (host) => `added ${host}: its name server and its certificate are yours to set up`),
  'shop-host list': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text, json: flag } });
    await withTenant(values, environmentOf(values.environment), async (platform, workspace) =>
      say(await listShopHosts(platform, workspace, values.json === true)),
    );
  },
  'shop-host remove': changeHost(removeShopHost, (host) => `removed ${host}`),
  shop: async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, merchant: text, listen: text } });
    const merchantId = required(values.merchant, 'merchant');
    const place = readListen(required(values.listen, 'listen'));
    const settings = settingsOf(values);
    const found: { environment?: Awaited<ReturnType<typeof environmentOfMerchant>> } = {};
    await withPlatform(settings, async (platform) => {
      found.environment = await environmentOfMerchant(platform, merchantId);
    });
    const environment = found.environment ?? 'test';
    const home = await openRunningData(settings);
    const config = { ...home.config, role: 'api' as const, metricsPort: null };
    const shop = { ...place, merchantId, environment, platformUrl: platformUrl(config, environment) };
    const server = await startServer({ config, log: createLogger('warn'), shop }).catch(async (error) => {
      await home.stop();
      throw error;
    });
    say(`The shop of ${merchantId} is open at ${server.urls[environment]}.`);
    await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
    await server.stop();
    await home.stop();
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;
