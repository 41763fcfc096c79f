// The directives of a rest.graphql file. The schema knows nothing of them: they are read, then taken out, and what is left is
// the document that is validated, executed and printed. One in the wrong place stays, and validation refuses it.
import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { type Method, methods } from '../platform/schema/route.js';

// Gap G-01: A request that creates something answers 201, every other 200; a DELETE answers 200 with what it did.
/** What `@route(method, path, status = 200, when, accepted, existing)` says. */
export interface RouteDirective {
  method: Method;
  path: string;
  status: number;
  /** Name of a query flag that selects this operation among those of one path. */
  when?: string;
  /** Member that makes the answer a 202 where it is there. */
  accepted?: string;
  /** Member that makes the answer a 200 where it is true. */
  existing?: string;
}

/** What was taken out of a document, by the nodes of the stripped one. */
export interface Stripped {
  document: DocumentNode;
  routes: ReadonlyMap<OperationDefinitionNode, RouteDirective>;
  /** Header names of variables with `@header(name)`. */
  headers: ReadonlyMap<VariableDefinitionNode, string>;
  /** Fields with `@orNull`: their null is sent. */
  orNull: ReadonlySet<FieldNode>;
}

/** Reads and removes `@route`, `@header` and `@orNull`. Throws a GraphQLError with its place on a malformed one. */
export function stripDirectives(source: DocumentNode): Stripped {
  const routes = new Map<OperationDefinitionNode, RouteDirective>();
  const headers = new Map<VariableDefinitionNode, string>();
  const orNull = new Set<FieldNode>();
  const document = visit(source, {
    OperationDefinition: {
      leave(node) {
        const [directive, rest] = take(node, 'route');
        if (directive === undefined) throw new GraphQLError(`Operation "${node.name?.value ?? ''}" has no @route.`, { nodes: node });
        const stripped = { ...node, directives: rest };
        routes.set(stripped, readRoute(directive));
        return stripped;
      },
    },
    VariableDefinition: {
      leave(node) {
        const [directive, rest] = take(node, 'header');
        if (directive === undefined) return undefined;
        const stripped = { ...node, directives: rest as readonly ConstDirectiveNode[] };
        headers.set(stripped, readHeader(directive));
        return stripped;
      },
    },
    Field: {
      leave(node) {
        const [directive, rest] = take(node, 'orNull');
        if (directive === undefined) return undefined;
        argumentsOf(directive, []);
        const stripped = { ...node, directives: rest };
        orNull.add(stripped);
        return stripped;
      },
    },
  });
  return { document, routes, headers, orNull };
}

function take(
  node: { readonly directives?: readonly DirectiveNode[] },
  name: string,
): [DirectiveNode | undefined, readonly DirectiveNode[]] {
  const directives = node.directives ?? [];
  const taken = directives.find((directive) => directive.name.value === name);
  return [taken, directives.filter((directive) => directive !== taken)];
}

function argumentsOf(directive: DirectiveNode, allowed: readonly string[]): Map<string, ValueNode> {
  const given = new Map<string, ValueNode>();
  for (const argument of directive.arguments ?? []) {
    const name = argument.name.value;
    if (!allowed.includes(name)) throw new GraphQLError(`@${directive.name.value} takes no argument "${name}".`, { nodes: argument });
    given.set(name, argument.value);
  }
  return given;
}

function readRoute(directive: DirectiveNode): RouteDirective {
  const given = argumentsOf(directive, ['method', 'path', 'status', 'when', 'accepted', 'existing']);
  const { method, path, status, ...names } = Object.fromEntries(given);
  const refuse = (message: string): never => {
    throw new GraphQLError(`@route: ${message}`, { nodes: directive });
  };
  const known = methods.find((name) => method?.kind === Kind.ENUM && method.value === name);
  if (known === undefined) return refuse(`method is one of ${methods.join(', ')}`);
  if (path?.kind !== Kind.STRING || !/^(\/[A-Za-z0-9._-]+|\/\{[A-Za-z]\w*\})+$/.test(path.value)) {
    return refuse('path is a string such as "/v1/agents/{id}"');
  }
  if (status !== undefined && (status.kind !== Kind.INT || !/^2\d\d$/.test(status.value))) return refuse('status is a 2xx');
  const nameIn = (argument: 'when' | 'accepted' | 'existing') => {
    const value = names[argument];
    if (value === undefined) return {};
    return value.kind === Kind.ENUM ? { [argument]: value.value } : refuse(`${argument} is a name`);
  };
  return {
    method: known,
    path: path.value,
    status: status === undefined ? 200 : Number(status.value),
    ...nameIn('when'),
    ...nameIn('accepted'),
    ...nameIn('existing'),
  };
}

function readHeader(directive: DirectiveNode): string {
  const name = argumentsOf(directive, ['name']).get('name');
  if (name?.kind !== Kind.STRING || !/^[A-Za-z][A-Za-z0-9-]*$/.test(name.value)) {
    throw new GraphQLError('@header(name) needs the name of a header.', { nodes: directive });
  }
  return name.value;
}
