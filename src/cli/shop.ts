// Opens the origin of a merchant on this machine, to try clients with that ask an origin: a listener that is one shop.
import type { Config } from '../config.js';
import { isLoopback } from '../platform/authority.js';
import type { Environment, Platform } from '../platform/ctx.js';
import { parseId } from '../platform/schema/id.js';

/** Where a shop listens: an address of this machine alone, since nobody has proved a name. */
export function readListen(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(\[[0-9a-f:]+\]|[^:\s]+):(\d{1,5})$/i.exec(text) ?? [];
  if (!isLoopback(host) || Number(port) > 65_535) throw new Error('--listen must be a port of this machine, such as 127.0.0.1:8090');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Where the platform itself is reached, in an environment. */
export function platformUrl({ baseUrl, sandboxUrl, port, sandboxPort }: Config, environment: Environment): string {
  return environment === 'live' ? (baseUrl ?? `http://127.0.0.1:${port}`) : (sandboxUrl ?? `http://127.0.0.1:${sandboxPort}`);
}

/** The environment of a merchant, whichever tenant and cell has it. */
export async function environmentOfMerchant({ cells }: Platform, merchant: string): Promise<Environment> {
  const id = parseId('merchant', merchant);
  if (id === null) throw new Error('--merchant must be the id of a merchant: mer_...');
  for (const { database } of cells.served) {
    const found = await database.unscoped.merchant.findFirst({ where: { id }, select: { workspace: { select: { environment: true } } } });
    if (found !== null) return found.workspace.environment;
  }
  throw new Error('there is no such merchant');
}
