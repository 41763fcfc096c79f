// The GraphQL face of scopes: what there is to be given, and what opens with it. It is made from the schema, so it cannot be out of date.
import type { GraphQLSchema } from 'graphql';
import { admissionOf } from '../../platform/schema/audience.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { type Role, roles, type Scope, scopes, scopesOf } from '../../platform/scope.js';
import { rest } from './rest.js';

/** More than a scope opens, and more scopes than there are. */
const most = 200;
const bounded = facts({ most, embedded: true });

const ScopeEntry = builder.objectRef<{ scope: Scope; operations: string[] }>('ScopeEntry').implement({
  description: 'A scope, and what it opens.',
  fields: (t) => ({
    scope: t.exposeString('scope', { description: 'The scope, such as `wallets:read`. The `:write` of a resource contains its `:read`.' }),
    operations: t.exposeStringList('operations', {
      ...bounded,
      description: 'The root fields of GraphQL that ask for it. In OpenAPI `x-scope` says it of each operation.',
    }),
  }),
});

const RoleEntry = builder.objectRef<Role>('RoleEntry').implement({
  description: 'A role of members, which is a set of scopes.',
  fields: (t) => ({
    role: t.string({ description: 'The role.', resolve: (role) => role }),
    live: t.stringList({ ...bounded, description: 'Its scopes in production.', resolve: (role) => [...scopesOf(role, 'live', false)] }),
    test: t.stringList({ ...bounded, description: 'Its scopes in the sandbox.', resolve: (role) => [...scopesOf(role, 'test', false)] }),
  }),
});

const ScopeCatalog = builder.objectRef<GraphQLSchema>('ScopeCatalog').implement({
  description: 'Every scope, and every role.',
  fields: (t) => ({
    scopes: t.field({ type: [ScopeEntry], ...bounded, description: 'Every scope that an operation asks for.', resolve: entriesOf }),
    roles: t.field({
      type: [RoleEntry],
      ...bounded,
      description: 'Every role. With an authority a member has `approvals:decide` beside.',
      resolve: () => [...roles],
    }),
  }),
});

function entriesOf(schema: GraphQLSchema): { scope: Scope; operations: string[] }[] {
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = types.flatMap((type) => Object.values(type?.getFields() ?? {}));
  return scopes.map((scope) => {
    const asking = fields.filter((field) => admissionOf(field).scope === scope);
    return { scope, operations: [...new Set(asking.map(({ name }) => name))] };
  });
}

builder.queryField('scopes', (t) =>
  t.field({
    route: rest(
      'GET /v1/scopes',
      'List the scopes that API keys and roles are made of, and what each opens. It needs no credential. `*` is everything, and `*:read` everything that is read.',
      { name: 'listScopes' },
    ),
    type: ScopeCatalog,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    resolve: (_root, _args, _ctx, { schema }) => schema,
  }),
);
