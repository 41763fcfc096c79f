// All tools, compiled from the routed operations that they run: the schemas that are listed, and the way from arguments to an answer.
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type { GraphQLSchema } from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../platform/errors.js';
import type { Answer, Idempotency } from '../platform/idempotency.js';
import { quotedName, unknownMessage } from '../platform/misspelt-name.js';
import { authorize } from '../platform/schema/audience.js';
import type { JsonSchema } from '../platform/schema/scalar.js';
import { type Route, takesKey } from '../rest/routes.js';
import { type Call, compileCall } from '../rest/serve.js';
import { variableReader } from '../rest/variable.js';
import { agentTools } from './agent-tool.js';
import { operatorTools, sharedTools } from './operator-tool.js';
import type { Tool } from './tool.js';
import { inputSchema, keyMember, outputSchema, waitMember, withRequiredKey } from './tool-schema.js';

export type Arguments = Readonly<Record<string, unknown>>;

export interface CompiledTool {
  tool: Tool;
  admission: Route['admission'];
  method: Route['method'];
  /** Of the operation, with `{name}` for each parameter. */
  path: string;
  /** As tools/list has it. */
  listing: ListedTool;
  /** The same where calls have no other name than their key: it is required. */
  keyedListing: ListedTool;
  /** Its calls have an Idempotency-Key. */
  isKeyed: boolean;
  /** Runs it, under a key where it changes something. 400 for arguments that it does not take. */
  run(ctx: Ctx, given: Arguments, key: string): Promise<Answer>;
}

export interface Catalog {
  tools: ReadonlyMap<string, CompiledTool>;
  /** Runs a query of REST by the name of its operation: the `data` of its answer. */
  read(ctx: Ctx, operation: string): Promise<Record<string, unknown>>;
}

/** Every tool, in the order in which they are listed. */
export const allTools: readonly Tool[] = [...sharedTools, ...agentTools, ...operatorTools];

/** Compiles the tools. Throws for an operation or a member that does not exist. */
export function compileCatalog(schema: GraphQLSchema, routes: readonly Route[], idempotency: Idempotency): Catalog {
  const byName = new Map(routes.map((route) => [route.name, route]));
  const calls = new Map<string, Call>();
  const routeOf = (operation: string): Route => {
    const route = byName.get(operation);
    if (route === undefined) throw new Error(`there is no operation ${operation}`);
    return route;
  };
  const callOf = (operation: string): Call => {
    const call = calls.get(operation) ?? compileCall(schema, routeOf(operation), idempotency);
    calls.set(operation, call);
    return call;
  };
  const nothing = { params: {}, query: {}, body: {} };
  return {
    tools: new Map(allTools.map((tool) => [tool.name, compileTool(tool, routeOf(tool.operation), callOf(tool.operation))])),
    async read(ctx, operation) {
      const { body } = await callOf(operation)(ctx, { variables: {}, key: undefined, content: nothing });
      return (body as { data: Record<string, unknown> }).data;
    },
  };
}

function compileTool(tool: Tool, route: Route, call: Call): CompiledTool {
  const { name, title, description, effect, sets } = tool;
  const input = inputSchema(route, tool);
  const readVariables = variableReader(route.variables, []);
  const listing = {
    name,
    title,
    description,
    inputSchema: input,
    outputSchema: outputSchema(route),
    annotations: {
      title,
      readOnlyHint: effect.readOnly,
      destructiveHint: effect.destructive,
      idempotentHint: effect.idempotent,
      openWorldHint: false,
    },
  } as ListedTool;
  const isKeyed = takesKey(route);
  return {
    tool,
    admission: route.admission,
    method: route.method,
    path: route.path,
    listing,
    keyedListing: isKeyed ? { ...listing, inputSchema: withRequiredKey(input) as ListedTool['inputSchema'] } : listing,
    isKeyed,
    run(ctx, given, key) {
      authorize(ctx.actor, route.admission);
      checkMembers(given, input);
      const { [keyMember]: own, [waitMember]: _, ...members } = given;
      const content = requestOf(route, { ...members, ...sets?.(members) });
      const variables = readVariables({ ...content, header: () => '' });
      return call(ctx, { variables, key: own === undefined ? key : readKey(own), content });
    },
  };
}

/** 400 for arguments that are unknown or missing; what stands in them the operation reads. */
function checkMembers(given: Arguments, { properties, required }: JsonSchema): void {
  const names = Object.keys(properties as object);
  const issues: FieldIssue[] = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: [quotedName(name)], message: unknownMessage(name, names, 'argument'), rule: 'unknown' }));
  for (const name of (required as string[] | undefined) ?? []) {
    if (given[name] == null) issues.push({ path: [name], message: 'is required', rule: 'required' });
  }
  if (issues.length > 0) throw new ValidationFailed(issues);
}

function readKey(key: unknown): string {
  if (typeof key === 'string') return key;
  throw new ValidationFailed([{ path: [keyMember], message: 'must be a text', rule: 'type' }]);
}

/** Arguments as REST would have brought them, so that one key is one effect over both. */
function requestOf({ variables }: Route, members: Arguments) {
  const params: Record<string, string> = {};
  const query: Record<string, string | string[]> = {};
  const body: Record<string, unknown> = { ...members };
  for (const { wire, source } of variables) {
    if (source !== 'path' && source !== 'query') continue;
    delete body[wire];
    const value = members[wire];
    if (value == null) continue;
    if (source === 'path') params[wire] = textOf(value);
    else query[wire] = Array.isArray(value) ? value.map(textOf) : textOf(value);
  }
  return { params, query, body };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
