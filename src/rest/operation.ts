// Runs routed operations for rules of this process (platform/operation.ts): the same reading of the input, the same execution, and no
// Idempotency-Key, which belongs to the request that the rule answers.
import { type GraphQLSchema, getNamedType, isInputObjectType, isNonNullType } from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import type { Idempotency } from '../platform/idempotency.js';
import type { Operations } from '../platform/operation.js';
import { authorize } from '../platform/schema/audience.js';
import { snakeCase } from '../platform/snake-case.js';
import type { Route } from './routes.js';
import { type Call, compileCall } from './serve.js';
import { variableReader } from './variable.js';

interface Compiled {
  route: Route;
  read: ReturnType<typeof variableReader>;
  call: Call;
}

const noKey: Idempotency = (_ctx, _request, run) => run();

/** The operations of a schema. Each is compiled when it is first asked for; throws for a name that there is not. */
export function operationsOf(schema: GraphQLSchema, routes: () => readonly Route[]): Operations<Ctx> {
  const compiled = new Map<string, Compiled>();
  const find = (name: string): Compiled => {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const route = routes().find((one) => one.name === name);
    if (route === undefined) throw new Error(`there is no operation ${name}`);
    const made = { route, read: variableReader(route.variables, []), call: compileCall(schema, route, noKey) };
    compiled.set(name, made);
    return made;
  };
  return {
    check(name, { params = {}, query = {}, body = {} }) {
      find(name).read({ params, query, body, header: () => '' });
    },
    async call(ctx, name, { params = {}, query = {}, body = {} }) {
      const { route, read, call } = find(name);
      authorize(ctx.actor, route.admission);
      const variables = read({ params, query, body, header: () => '' });
      const answer = await call(ctx, { variables, key: undefined, content: { params, query, body } });
      return answer.body as Readonly<Record<string, unknown>>;
    },
    scopeOf: (name) => find(name).route.admission.scope,
    takes(name) {
      const input = find(name).route.variables.find(({ source }) => source === 'body');
      const type = input && getNamedType(input.type);
      return isInputObjectType(type) ? Object.keys(type.getFields()).map(snakeCase) : [];
    },
    shows(name) {
      const members = find(name).route.shape.members ?? new Map();
      return new Map([...members].map(([key, { field }]) => [key, { nullable: !isNonNullType(field.type) }]));
    },
  };
}
