// The rails of production that this process knows.
import type { Platform } from '../../platform/ctx.js';
import { ExtensionPoint } from '../../platform/extension.js';
import type { ConfiguredRail } from './rail-kind.js';

/** The rails of the file by their names, and the tenant that runs the platform; null: the only one. */
export interface ConfiguredRails {
  operator: string | null;
  byName: ReadonlyMap<string, ConfiguredRail>;
}

export const configuredRails = new ExtensionPoint<ConfiguredRails, ConfiguredRails>(
  'rails of production',
  ([file]) => file ?? { operator: null, byName: new Map() },
);

/** The rail of a name, if the file names it. */
export function configuredRail({ platform }: { platform: Pick<Platform, 'extensions'> }, name: string): ConfiguredRail | undefined {
  return platform.extensions.of(configuredRails).byName.get(name);
}
