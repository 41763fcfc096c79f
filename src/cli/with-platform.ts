// Opens what commands work on: the platform on the data of the settings, or a half of a tenant.
import type { Config } from '../config.js';
import { platformOfTenant, tenantWorkspace } from '../contexts/identity/tenant.js';
import type { Environment, Platform, Workspace } from '../platform/ctx.js';
import { openRunningData } from '../platform/data-home.js';
import { createLogger } from '../platform/log.js';
import { migrate } from '../platform/postgres/migration.js';
import { closePlatform, openPlatform } from '../server.js';
import { required, settingsOf } from './argument.js';

/** Opens what a command needs and lets go of it afterwards. */
export async function withPlatform(config: Config, work: (platform: Platform) => Promise<void>): Promise<void> {
  const home = await openRunningData(config);
  try {
    await migrate(home.config.databaseUrl, { kinds: 'expand' });
    const platform = await openPlatform({ config: home.config, log: createLogger('warn') });
    try {
      await work(platform);
    } finally {
      await closePlatform(platform);
    }
  } finally {
    await home.stop();
  }
}

/** Opens a half of the tenant that a command names. */
export function withTenant(
  values: { tenant?: string | undefined; 'data-dir'?: string | undefined },
  environment: Environment,
  work: (platform: Platform, workspace: Workspace) => Promise<void>,
): Promise<void> {
  return withPlatform(settingsOf(values), async (home) => {
    const platform = await platformOfTenant(home, required(values.tenant, 'tenant'));
    const workspace = await tenantWorkspace(platform, required(values.tenant, 'tenant'), environment);
    if (workspace === null) throw new Error('there is no such tenant');
    await work(platform, workspace);
  });
}

/** The environment that an option names. */
export function environmentOf(value: string | undefined): Environment {
  if (value !== 'test' && value !== 'live') throw new Error('--environment must be test or live');
  return value;
}
