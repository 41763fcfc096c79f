// The tools of the MCP binding, as they are listed: for all merchants the same, in the version that the agent speaks.
import type { Ctx } from '../../platform/ctx.js';
import { networkOf } from '../../platform/network.js';
import { agentProfile } from './agent-profile.js';
import { operations } from './operation.js';
import { before, current } from './version.js';

type Inputs = Readonly<Record<string, object>>;

/** What tools take, by version: printed from the published schemas (scripts/ucp-input.ts), and loaded by the first who asks. */
const inputs: Readonly<Record<string, () => Promise<{ default: Inputs }>>> = {
  [current]: () => import('./input-2026-08-25.json', { with: { type: 'json' } }),
  [before]: () => import('./input-2026-04-08.json', { with: { type: 'json' } }),
};

/** A tool as it is listed. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: object;
}

// Gap G-723: `tools/list` over UCP's MCP without a profile is in the newest version.
// Gap G-724: A profile that is named without a credential is fetched 30 times a minute for the network of the caller's address.
/** The tools in the version of a profile, or in ours where none is named. Refusals are those of `agentProfile`. */
export async function listTools(ctx: Ctx, agent: string | undefined): Promise<readonly ListedTool[]> {
  const version = agent === undefined ? current : (await agentProfile(asking(ctx), `profile=${JSON.stringify(agent)}`)).version;
  const taken = await inputs[version]?.();
  return operations
    .filter(({ versions }) => versions.includes(version))
    .map(({ name, door }) => ({ name, description: `${door.summary}. ${door.description}`, inputSchema: taken?.default[name] ?? {} }));
}

/** Whose profiles are fetched and kept: those of a workspace, or of an address. */
function asking({ platform, workspace, actor, ip }: Ctx): Pick<Ctx, 'platform' | 'workspace'> {
  return { platform, workspace: actor.type === 'anonymous' ? { ...workspace, id: `address ${networkOf(ip)}` } : workspace };
}
