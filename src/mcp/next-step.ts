// What would help after a refusal, as a call of a tool: the requests of REST that an error names, where the caller has a tool for one.
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../platform/ctx.js';
import type { NextAction, Retry } from '../platform/errors.js';
import type { Catalog, CompiledTool } from './catalog.js';
import { isCallable } from './offer.js';
import { keyMember } from './tool-schema.js';

/** A call that makes the same request. */
interface NextCall {
  tool: string;
  arguments: Record<string, unknown>;
}

// Gap G-391: A next action has `call` where the caller has a tool that makes the same request.
/**
 * The body of an error, with `call` on each of its next actions that the actor has a tool for. Where calls have to bring a key, it comes with
 * a new one.
 */
export function withCalls(body: Record<string, unknown>, catalog: Catalog, actor: Actor, newKey?: () => string): Record<string, unknown> {
  const details = body['details'] as { next_actions?: readonly NextAction[] } | undefined;
  if (details?.next_actions === undefined) return body;
  const next_actions = details.next_actions.map((action) => {
    const call = callFor(action, catalog, actor, newKey);
    return call === undefined ? action : { ...action, call };
  });
  return { ...body, details: { ...details, next_actions } };
}

/**
 * The body of an error, with the key under which the same call is made again where only that is safe: a model that repeats itself sends
 * another JSON-RPC id, which would be another call.
 */
export function withKey(body: Record<string, unknown>, key: string): Record<string, unknown> {
  const details = body['details'] as { retry?: Retry } | undefined;
  if (details?.retry?.same_key !== true) return body;
  return { ...body, details: { ...details, retry: { ...details.retry, idempotency_key: key } } };
}

/** Of several tools that fit, the one that sets the most of what the request says. An agent is offered nothing that only its company may do. */
function callFor(action: NextAction, { tools }: Catalog, actor: Actor, newKey: (() => string) | undefined): NextCall | undefined {
  if (action.actor === 'api_key' && actor.agent !== undefined) return undefined;
  const matches = [...tools.values()].flatMap((compiled) => (isCallable(compiled, actor) ? matchOf(action, compiled) : []));
  const call = matches.sort((a, b) => b.rank - a.rank)[0]?.call;
  if (call === undefined || newKey === undefined || tools.get(call.tool)?.isKeyed !== true) return call;
  return { ...call, arguments: { ...call.arguments, [keyMember]: newKey() } };
}

function matchOf(
  { method, path, body = {} }: NextAction,
  { tool, method: own, path: pattern }: CompiledTool,
): { rank: number; call: NextCall }[] {
  const [bare = '', query = ''] = path.split('?');
  const found = new RegExp(`^${pattern.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(bare);
  if (method !== own || found === null) return [];
  const sets = Object.entries(tool.sets?.(body) ?? {});
  if (sets.some(([name, value]) => !isDeepStrictEqual(body[name], value))) return [];
  const given: Record<string, unknown> = { ...found.groups, ...Object.fromEntries(new URLSearchParams(query)), ...body };
  const isSet = (name: string) => sets.some(([other]) => other === name);
  const names = Object.keys(given).filter((name) => !isSet(name));
  if (names.some((name) => !tool.takes.includes(name))) return [];
  return [{ rank: sets.length, call: { tool: tool.name, arguments: Object.fromEntries(names.map((name) => [name, given[name]])) } }];
}
