// Who may call what: an audience and a scope. REST asks before it reads the input, GraphQL when it reads the document and again through
// scope-auth, MCP when it lists its tools.
import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { Actor, Audience, PortalScope } from '../ctx.js';
import { ApiKeyRequired, Forbidden, InsufficientScope, MissingCredential } from '../errors.js';
import { covers, fullScope, type Scope, scopes } from '../scope.js';

/** The scope that a root field asks for. `self`: none, for what is about the caller alone and for what each noun decides by itself. */
export type AskedScope = Scope | 'self';

/** Whom a root field or a door lets in. */
export interface Admission {
  audience: Audience;
  scope: AskedScope;
  /** The scope with which a portal token may call it too. */
  portal?: PortalScope | undefined;
}

/** Everybody with a credential of their own. */
export const anybody: Admission = { audience: 'any', scope: 'self' };

// Gap G-28: Each root field names who may call it: `public`, `any`, `operator` (403 for agents) or `api_key` (403 for all others).
// Gap G-460: People count as an API key where one is asked for; a JWT session does not.
/**
 * True for an actor whom `admission` lets in, else the error that says why not: 401 `missing_credential`, 403 `api_key_required`,
 * `forbidden` or `insufficient_scope`.
 */
export function authorize(actor: Actor, { audience, scope, portal }: Admission): true {
  if (audience === 'public' || actor.type === 'system') return true;
  if (actor.type === 'anonymous') {
    throw new MissingCredential('This request needs a credential: send `Authorization: Bearer <credential>`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (actor.type === 'portal') {
    if (portal !== undefined && actor.scopes.includes(portal)) return true;
    const required = scope === 'self' ? fullScope : scope;
    throw new InsufficientScope({ required, scopes: actor.scopes }, 'A portal token reads only what its scopes name.', { terminal: true });
  }
  if (audience === 'api_key' && actor.type !== 'api_key' && actor.type !== 'member') {
    throw new ApiKeyRequired('Only an API key (pk_test_... or pk_live_...) may do this.');
  }
  if (audience === 'operator' && actor.type === 'agent') throw new Forbidden('Agents may not do this: ask the company that runs you.');
  requireScope(actor, scope);
  return true;
}

/** True where the scopes of the actor open `scope`. Agents are bound by their limits and not by scopes, unless a connection asks. */
export function hasScope(actor: Actor, scope: AskedScope): boolean {
  if (actor.type === 'system') return true;
  if (actor.type === 'agent') return actor.connection === undefined || actor.connection.scopes.includes(connectionScope(scope));
  return scope === 'self' || covers(actor.scopes, scope);
}

/** 403 `insufficient_scope` for an actor whose scopes do not open `scope`. */
export function requireScope(actor: Actor, scope: AskedScope): void {
  if (hasScope(actor, scope)) return;
  if (actor.connection === undefined) throw new InsufficientScope({ required: scope, scopes: actor.scopes });
  const required = connectionScope(scope);
  const { scopes: given } = actor.connection;
  throw new InsufficientScope({ required, scopes: given }, `This connection was not given ${required}: connect again, with it.`, {
    terminal: true,
  });
}

/** What a connection needs: `agent:read` to read, `agent:act` for the rest. */
function connectionScope(scope: AskedScope): 'agent:read' | 'agent:act' {
  return scope === 'self' || scope.endsWith(':read') ? 'agent:read' : 'agent:act';
}

type Root = Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>;

function saidBy(root: Root): { audience?: unknown; scope?: unknown; portal?: unknown } | undefined {
  const options = root.extensions['pothosOptions'] as { authScopes?: unknown } | undefined;
  return options?.authScopes as ReturnType<typeof saidBy>;
}

/** Whom the face lets call the root field. One that says nothing is for everybody with a credential; `refuseUnscoped` lets none of them start. */
export function admissionOf(root: Root): Admission {
  const said = saidBy(root);
  if (said === undefined) return anybody;
  const { audience, scope, portal } = said;
  if (typeof portal === 'string') return { audience: 'any', scope: portal as PortalScope, portal: portal as PortalScope };
  if (typeof audience !== 'string')
    throw new Error(`the audience of ${root.name} must be a constant: it is asked before any input is read`);
  return { audience: audience as Audience, scope: (scope ?? 'self') as AskedScope };
}

/** The schema, when each of its root fields says its scope; else an Error that names those that do not. */
export function refuseUnscoped(schema: GraphQLSchema): GraphQLSchema {
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const silent = types.flatMap((type) =>
    Object.values(type?.getFields() ?? {}).flatMap((field) => (isScoped(field) ? [] : [`${type?.name}.${field.name}`])),
  );
  if (silent.length === 0) return schema;
  throw new Error(
    `${silent.join(', ')}: a root field says who may call it, such as authScopes: { audience: 'any', scope: 'wallets:read' }. ` +
      "The scopes stand in src/platform/scope.ts; 'self' is for what is about the caller alone, audience 'public' needs none.",
  );
}

function isScoped(root: Root): boolean {
  const { audience, scope, portal } = saidBy(root) ?? {};
  return audience === 'public' || portal !== undefined || scope === 'self' || scopes.includes(scope as Scope);
}
