// Which tools an actor is offered: those that its kind may call, that its scopes open and, of an agent, those that its status and its limits let do something.
import type { Ctx } from '../platform/ctx.js';
import { ApiError } from '../platform/errors.js';
import { authorize, hasScope } from '../platform/schema/audience.js';
import type { Catalog, CompiledTool } from './catalog.js';
import { isFor, type Need } from './tool.js';

/** The tool of that name that the actor's kind may call, offered now or not: what it may do is asked again where it is done. */
export function toolOf({ tools }: Catalog, { actor }: Pick<Ctx, 'actor'>, name: string): CompiledTool | undefined {
  const found = tools.get(name);
  return found !== undefined && isCallable(found, actor) ? found : undefined;
}

/** Whether the actor's kind may call it, whatever its scopes are. */
export function isCallable({ tool, admission }: CompiledTool, actor: Ctx['actor']): boolean {
  if (!isFor(actor, tool)) return false;
  try {
    return authorize(actor, { ...admission, scope: 'self' });
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

// Gap G-386: Reading tools are always listed, acting ones while the agent is active, spending ones while `spendable_by` allows.
/** What the actor is offered now. */
export async function offeredTools(catalog: Catalog, ctx: Ctx): Promise<CompiledTool[]> {
  const callable = [...catalog.tools.values()].filter((tool) => isCallable(tool, ctx.actor) && hasScope(ctx.actor, tool.admission.scope));
  if (ctx.actor.agent === undefined) return callable;
  const has = await abilities(catalog, ctx);
  return callable.filter(({ tool }) => has.has(tool.needs ?? 'read'));
}

/** What of the answer of GET /v1/me is looked at. */
interface Me {
  agent: { id: string; status: string };
  wallets: readonly { owner_type: string; status: string }[];
  spendable_by: readonly string[];
}

async function abilities(catalog: Catalog, ctx: Ctx): Promise<ReadonlySet<Need | string>> {
  const { agent, wallets, spendable_by } = (await catalog.read(ctx, 'getMe')) as unknown as Me;
  const has = new Set<string>(['read' satisfies Need, ...spendable_by]);
  if (spendable_by.some((protocol) => protocol === 'internal' || protocol === 'cross_border')) has.add('pay' satisfies Need);
  if (agent.status !== 'active') return has;
  has.add('act' satisfies Need);
  const { frozen } = await catalog.read(ctx, 'getSpending');
  const hasWallet = wallets.some(({ owner_type, status }) => owner_type === 'agent' && status === 'active');
  if (frozen === false && hasWallet) has.add('wallet' satisfies Need);
  return has;
}
