// The hosts of merchants, by the word of who runs the platform.
import { changeShopHosts } from '../contexts/accounts/merchant.js';
import { faultOfHost } from '../contexts/accounts/shop-host.js';
import type { Platform, Workspace } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { ApiError } from '../platform/errors.js';
import { parseId, printId } from '../platform/schema/id.js';

/** One host of one merchant. */
export interface NamedHost {
  host: string;
  merchant: string;
}

function read({ host, merchant }: NamedHost): { host: string; id: string } {
  const fault = faultOfHost(host);
  if (fault !== undefined) throw new Error(`${host} ${fault}`);
  const id = parseId('merchant', merchant);
  if (id === null) throw new Error('--merchant must be the id of a merchant: mer_...');
  return { host, id };
}

async function change(platform: Platform, workspace: Workspace, id: string, hosts: (held: readonly string[]) => readonly string[]) {
  const ctx = systemCtx(platform, workspace, { action: 'updateMerchant', resourceType: 'merchant', resourceId: id });
  try {
    await changeShopHosts(ctx, id, hosts);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) throw new Error('there is no such merchant in this environment of the tenant');
    throw new Error(error.fields?.map(({ message }) => `the host ${message}`).join('; ') ?? error.message);
  }
}

/** Gives a merchant a host, in either environment. */
export async function addShopHost(platform: Platform, workspace: Workspace, named: NamedHost): Promise<void> {
  const { host, id } = read(named);
  await change(platform, workspace, id, (held) => (held.includes(host) ? held : [...held, host]));
}

/** Takes a host from its merchant, which has it no longer at once. */
export async function removeShopHost(platform: Platform, workspace: Workspace, named: NamedHost): Promise<void> {
  const { host, id } = read(named);
  await change(platform, workspace, id, (held) => {
    if (!held.includes(host)) throw new Error(`${host} is no host of this merchant`);
    return held.filter((one) => one !== host);
  });
}

/** The hosts of a tenant in an environment, a line each, or as JSON. */
export async function listShopHosts(platform: Platform, workspace: Workspace, isJson: boolean): Promise<string> {
  const { db } = systemCtx(platform, workspace, null);
  const select = { id: true, name: true, shopHosts: true };
  const merchants = await db.merchant.findMany({ where: { shopHosts: { isEmpty: false } }, select, orderBy: { id: 'asc' } });
  const rows = merchants.flatMap(({ id, name, shopHosts }) =>
    shopHosts.map((host) => ({ host, merchant_id: printId('merchant', id), merchant: name })),
  );
  if (isJson) return JSON.stringify(rows);
  return rows.length === 0 ? 'No merchant has a host.' : rows.map((row) => `${row.host}  ${row.merchant_id}  ${row.merchant}`).join('\n');
}
