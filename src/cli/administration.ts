// The commands that work on the database, whether or not the server runs.

import { parseArgs } from 'node:util';
import type { Config } from '../config.js';
import { checkDocuments } from '../contexts/audit/document-check.js';
import { createApiKey, revokeApiKey } from '../contexts/identity/api-key.js';
import { networkList, scopeList } from '../contexts/identity/key-bound.js';
import { createTenant, platformOfTenant, tenantWorkspace, workspacesOf } from '../contexts/identity/tenant.js';
import { fillSandbox } from '../contexts/sandbox/fill.js';
import { manifest } from '../contexts.js';
import { checkLedger } from '../ledger/trial-balance.js';
import { forEachCell } from '../platform/cell/every-cell.js';
import { systemCtx } from '../platform/due/step.js';
import type { OperatorRates } from '../platform/rate-limit.js';
import { parseId } from '../platform/schema/id.js';
import { flag, ofData, required, say, settingsOf, text, wholeNumber } from './argument.js';
import { auditCommands } from './audit-command.js';
import { backupCommands } from './backup-command.js';
import { addCell, checkDirectory, drainCell, listCells, platformForTenant, removeCell, setCellUrl } from './cell.js';
import { endConnection, listConnections } from './connection.js';
import { evidenceCommands } from './evidence-command.js';
import { inviteMember, listMembers, openSignIn, suspendMember } from './member.js';
import { migrateCommands } from './migrate-command.js';
import { progressBar } from './progress.js';
import { railsCommands } from './rails-command.js';
import { resumeReading } from './rails-reading-command.js';
import { secretsCommands } from './secrets-command.js';
import { shopCommands } from './shop-command.js';
import { limitTenant, limitText } from './tenant.js';
import { moveTenant, readTenantMove } from './tenant-move.js';
import { rebuildReports } from './usage.js';
import { environmentOf, withPlatform, withTenant } from './with-platform.js';

/** The numbers that a command gives: `--reset` takes back those that it does not give. */
function operatorRates(values: { actor?: string | undefined; workspace?: string | undefined; reset?: boolean | undefined }): OperatorRates {
  const { actor, workspace, reset } = values;
  return {
    ...(reset && { actorRate: null, workspaceRate: null }),
    ...(actor !== undefined && { actorRate: wholeNumber(actor, 'actor') }),
    ...(workspace !== undefined && { workspaceRate: wholeNumber(workspace, 'workspace') }),
  };
}

/** What an option lists, with commas between; undefined without the option. */
function listOf(value: string | undefined, option: string, list: typeof scopeList): string[] | undefined {
  if (value === undefined) return undefined;
  const items = value.split(',').map((item) => item.trim());
  const { error } = list.safeParse(items);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return items;
  const [at] = issue.path;
  throw new Error(`--${option}: ${at === undefined ? '' : `${items[at as number]} `}${issue.message}`);
}

const bar = () => progressBar((part) => void process.stderr.write(part), process.stderr.isTTY);

/** What each of them does with its arguments. */
export const administration = {
  ...migrateCommands,
  ...auditCommands,
  'tenant create': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, name: text, cell: text, json: flag } });
    await withPlatform(settingsOf(values), async (home) => {
      const platform = await platformForTenant(home, values.cell);
      const { tenantId, liveKey, testKey } = await createTenant(platform, { name: required(values.name, 'name') });
      say(
        values.json
          ? JSON.stringify({ tenant_id: tenantId, live_key: liveKey, test_key: testKey })
          : `tenant    ${tenantId}\nlive key  ${liveKey}\ntest key  ${testKey}\n\nThe keys are not shown again.`,
      );
    });
  },
  'tenant move': async (args) => {
    const { values, options } = readTenantMove(args);
    await withPlatform(settingsOf(values), (platform) => moveTenant(platform, { ...options, say, bar: bar() }));
  },
  'tenant limits': async (args) => {
    const options = { ...ofData, tenant: text, environment: text, actor: text, workspace: text, reset: flag, json: flag };
    const { values } = parseArgs({ args, options });
    const tenant = required(values.tenant, 'tenant');
    const environment = values.environment === undefined ? undefined : environmentOf(values.environment);
    const rates = operatorRates(values);
    await withPlatform(settingsOf(values), async (platform) => {
      const workspaces = (await workspacesOf(platform, tenant)).filter(
        (one) => environment === undefined || one.environment === environment,
      );
      if (workspaces.length === 0) throw new Error('there is no such tenant');
      const limits = await limitTenant(platform, workspaces, rates);
      say(values.json ? JSON.stringify(limits) : limitText(limits));
    });
  },
  'key create': async (args) => {
    const options = { ...ofData, tenant: text, environment: text, name: text, scopes: text, ips: text, json: flag };
    const { values } = parseArgs({ args, options });
    const bounds = { scopes: listOf(values.scopes, 'scopes', scopeList), allowedIps: listOf(values.ips, 'ips', networkList) };
    await withTenant(values, environmentOf(values.environment), async (platform, workspace) => {
      const key = await createApiKey(systemCtx(platform, workspace, { action: 'createApiKey', resourceType: 'api_key' }), {
        name: values.name ?? 'command line',
        ...bounds,
      });
      say(
        values.json
          ? JSON.stringify({ id: `key_${key.id}`, key: key.key })
          : `id   key_${key.id}\nkey  ${key.key}\n\nThe key is not shown again.`,
      );
    });
  },
  'key revoke': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text }, allowPositionals: true });
    const environment = environmentOf(values.environment);
    const id = parseId('apiKey', positionals[0]);
    if (id === null) throw new Error('name the key to revoke: key_...');
    await withTenant(values, environment, async (platform, workspace) => {
      await revokeApiKey(systemCtx(platform, workspace, { action: 'revokeApiKey', resourceType: 'api_key' }), id);
      say(`revoked key_${id}`);
    });
  },
  'connection list': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text, json: flag } });
    const environment = environmentOf(values.environment);
    await withTenant(values, environment, async (platform, workspace) =>
      say(await listConnections(platform, workspace, values.json === true)),
    );
  },
  'connection revoke': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text }, allowPositionals: true });
    const id = parseId('connection', positionals[0]);
    if (id === null) throw new Error('name the connection to revoke: cnx_...');
    await withTenant(values, environmentOf(values.environment), async (platform, workspace) => {
      await endConnection(platform, workspace, id);
      say(`revoked cnx_${id}`);
    });
  },
  ...shopCommands,
  ...secretsCommands,
  ...railsCommands,
  'rails resume-reading': resumeReading,
  ...evidenceCommands,
  ...backupCommands,
  'member list': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, json: flag } });
    await withTenant(values, 'live', async (platform, workspace) => say(await listMembers(platform, workspace, values.json === true)));
  },
  'member invite': async (args) => {
    const options = { ...ofData, tenant: text, email: text, role: text, environment: text, json: flag };
    const { values } = parseArgs({ args, options });
    const wanted = { email: required(values.email, 'email'), role: required(values.role, 'role') };
    await withTenant(values, environmentOf(values.environment ?? 'live'), async (platform, workspace) => {
      const { link, expiresAt } = await inviteMember(platform, workspace, wanted);
      say(
        values.json
          ? JSON.stringify({ link, expires_at: expiresAt })
          : `${link}\n\nGood once, until ${expiresAt.toISOString()}. It is not shown again.`,
      );
    });
  },
  'member suspend': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, tenant: text }, allowPositionals: true });
    const id = parseId('member', positionals[0]);
    if (id === null) throw new Error('name the member to suspend: mem_...');
    await withTenant(values, 'live', async (platform, workspace) => {
      await suspendMember(platform, workspace, id);
      say(`suspended mem_${id}`);
    });
  },
  'cell add': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, name: text, url: text } });
    const cell = { name: required(values.name, 'name'), url: required(values.url, 'url') };
    await withPlatform(settingsOf(values), (platform) => addCell(platform, cell));
    say(`added the cell ${cell.name}`);
  },
  'cell set-url': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, url: text }, allowPositionals: true });
    const cell = { name: required(positionals[0], 'name'), url: required(values.url, 'url') };
    await withPlatform(settingsOf(values), (platform) => setCellUrl(platform, cell));
    say(`${cell.name} has another address; directory check says whether all is there`);
  },
  'cell list': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, json: flag } });
    await withPlatform(settingsOf(values), async (platform) => say(await listCells(platform, values.json === true)));
  },
  'cell drain': async (args) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, undo: flag }, allowPositionals: true });
    const name = required(positionals[0], 'name');
    await withPlatform(settingsOf(values), (platform) => drainCell(platform, name, values.undo ? 'open' : 'drained'));
    say(values.undo ? `${name} takes new tenants` : `${name} takes no new tenants`);
  },
  'cell remove': async (args) => {
    const { values, positionals } = parseArgs({ args, options: ofData, allowPositionals: true });
    const name = required(positionals[0], 'name');
    await withPlatform(settingsOf(values), (platform) => removeCell(platform, name));
    say(`removed the cell ${name}; its database stays as it is`);
  },
  'directory check': async (args) => {
    const { values } = parseArgs({ args, options: ofData });
    await withPlatform(settingsOf(values), async (platform) => {
      const found = await checkDirectory(platform);
      for (const line of found) say(`WRONG  ${line}`);
      if (found.length === 0) say('The directory is right: every tenant and every credential is where it says.');
      else process.exitCode = 1;
    });
  },
  'sign-in reset': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text } });
    await withTenant(values, 'live', async (platform, workspace) => say(`open: ${await openSignIn(platform, workspace)}`));
  },
  'ledger check': async (args) => {
    const { values } = parseArgs({ args, options: ofData });
    await withPlatform(settingsOf(values), async (platform) => {
      const checked = await forEachCell(platform, async ({ database }) => [
        ...(await checkLedger(database, manifest.escrows)),
        ...(await checkDocuments(database)),
      ]);
      const isOne = checked.length === 1;
      for (const { cell, result = [], failure } of checked) {
        for (const found of result) say(`BREAK  ${isOne ? '' : `${cell}: `}${found}`);
        if (failure !== undefined) say(`FAILED ${cell}: ${failure}`);
      }
      if (checked.every(({ result }) => result?.length === 0))
        say('The ledger is right: balances and transactions sum to zero, every account chains, every hold is covered.');
      else process.exitCode = 1;
    });
  },
  'usage rebuild': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text } });
    await withPlatform(settingsOf(values), async (home) => {
      const { tenant } = values;
      const platforms = tenant === undefined ? home.cells.served : [await platformOfTenant(home, tenant)];
      let count = 0;
      for (const platform of platforms) count += await rebuildReports(platform, tenant, bar());
      if (count === 0) throw new Error('there is no such tenant');
      say(`rebuilt ${count} workspaces`);
    });
  },
  'sandbox fill': async (args) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, operations: text, days: text } });
    const [operations, days] = [wholeNumber(values.operations ?? '100000', 'operations'), wholeNumber(values.days ?? '30', 'days')];
    await withPlatform(settingsOf(values), async (home) => {
      const platform = values.tenant === undefined ? home : await platformOfTenant(home, values.tenant);
      const workspace = (await workspacesOf(platform, values.tenant)).find(({ environment }) => environment === 'test');
      if (workspace === undefined) throw new Error('there is no such tenant');
      await fillSandbox(systemCtx(platform, workspace, { action: 'fillSandbox' }), { operations, days }, bar());
      say(`wrote ${operations} operations of the last ${days} days`);
    });
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;

/** A tenant that was made just now. */
interface NewTenant {
  testKey: string;
  /** Makes the link by which somebody joins it. */
  invite: (email: string, role: string) => Promise<string>;
}

/** Runs `work` with the test key of a new tenant. */
export function withNewTenant(config: Config, name: string, work: (made: NewTenant) => Promise<void>): Promise<void> {
  return withPlatform(config, async (platform) => {
    const { testKey, tenantId } = await createTenant(platform, { name });
    const workspace = await tenantWorkspace(platform, tenantId, 'test');
    if (workspace === null) throw new Error('the tenant has no sandbox');
    const invite = async (email: string, role: string) => (await inviteMember(platform, workspace, { email, role })).link ?? '';
    await work({ testKey, invite });
  });
}
