// Reads a GraphQL request before its budget is taken: the document decides which one. A fault found here is kept until the budgets
// are taken, so that a request which cannot be read costs a point like any other.
import { isUtf8 } from 'node:buffer';
import type { ParsedUrlQuery } from 'node:querystring';
import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST, parse, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import getRawBody from 'raw-body';
import { batchBodyLimit, bodyLimit } from '../platform/body-limit.js';
import { BodyTooLarge, InvalidJson, invalidRequest, MethodNotAllowed, UnsupportedMediaType, ValidationFailed } from '../platform/errors.js';
import type { FieldFacts } from '../platform/schema/builder.js';
import { countNodes } from '../platform/schema/complexity.js';
import { checkJson, parseText } from '../platform/schema/scalar.js';
import { limitSelections, limitText, maxName, maxTokens, neededVariables } from './graphql-limits.js';
import { standardIntrospection } from './introspection.js';
import { rateOf, rootFields } from './root-field.js';
import type { GraphQLParams, GraphQLRequest, Handler, HttpContext } from './state.js';

const known = ['query', 'variables', 'operationName', 'extensions'];

function checkedParams(given: unknown): GraphQLParams {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidRequest('The body must be one JSON object with `query`; lists of operations are not supported.', 'type');
  }
  const { query, variables, operationName, extensions, ...rest } = given as Record<string, unknown>;
  const fault = (name: string, message: string, rule: string) => new ValidationFailed([{ path: [name], message, rule }]);
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined) throw fault(stranger.slice(0, 64), `is not one of ${known.join(', ')}`, 'unknown');
  if (typeof query !== 'string') throw fault('query', 'must be a GraphQL document', query === undefined ? 'required' : 'type');
  if (typeof (operationName ?? '') !== 'string') throw fault('operationName', 'must be a string', 'type');
  for (const [name, value] of [
    ['variables', variables],
    ['extensions', extensions],
  ] as const) {
    if (typeof (value ?? {}) !== 'object' || Array.isArray(value)) throw fault(name, 'must be an object', 'type');
  }
  try {
    parseText(query);
    // The wrapping levels of variables and inputs do not count against free-form members.
    checkJson(variables ?? {}, -4);
  } catch (error) {
    throw new ValidationFailed(
      [{ path: [], message: (error as Error).message, rule: 'text' }],
      'The request has text that cannot be stored.',
    );
  }
  return {
    query,
    ...(variables ? { variables: variables as Record<string, unknown> } : {}),
    ...(operationName ? { operationName: operationName as string } : {}),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidJson('The body is not JSON.', error);
  }
}

async function readPost(http: HttpContext, limit: number): Promise<unknown> {
  if (http.is('application/json') !== 'application/json') throw new UnsupportedMediaType('Send the operation as application/json.');
  if (http.get('Content-Encoding') !== '') throw new UnsupportedMediaType('Send the body as it is, not compressed.');
  const length = http.req.headers['content-length'];
  const bytes = await getRawBody(http.req, { limit, ...(length === undefined ? {} : { length }) }).catch((error) => {
    // It stops in the middle; the rest must pass before the connection can be used again.
    http.req.resume();
    throw error;
  });
  if (!isUtf8(bytes)) throw new InvalidJson('The body is not UTF-8.');
  return parseJson(bytes.toString('utf8'));
}

function readQuery(query: ParsedUrlQuery): unknown {
  const { variables, extensions, ...rest } = query;
  const parsed = (text: string | string[] | undefined) => (typeof text === 'string' && text !== '' ? parseJson(text) : text || undefined);
  return { ...rest, variables: parsed(variables), extensions: parsed(extensions) };
}

/** `standard`: the standard introspection query that the document is. */
/** `needed`: the variables that stand where null may not. */
type Parsed = { document: DocumentNode; standard: DocumentNode | undefined; needed: ReadonlySet<string> } | { syntaxError: GraphQLError };

/** Documents that are kept: a token of one takes half a KiB when it is parsed, however short its text is. */
const mostDocuments = 1_000;
const mostDocumentBytes = 16 * 1024 * 1024;
const tokenBytes = 512;

/** Bytes that a parsed document takes, with its text and what validation finds in it. */
function bytesOf(parsed: Parsed, query: string): number {
  const tokens = 'document' in parsed ? (parsed.document.tokenCount ?? maxTokens) : 0;
  return 2 * query.length + tokenBytes * (tokens + 8);
}

function parseDocument(schema: GraphQLSchema, query: string): Parsed {
  try {
    limitText(query);
    const document = parse(query, { maxTokens });
    visit(document, {
      Name(node) {
        if (node.value.length > maxName) throw new GraphQLError(`A name has more than ${maxName} characters.`, { nodes: node });
      },
      StringValue(node) {
        if (node.value.includes('\u0000') || !node.value.isWellFormed()) {
          throw new GraphQLError('A string has a NUL character or a lone surrogate.', { nodes: node });
        }
      },
    });
    limitSelections(document);
    return { document, standard: standardIntrospection(document), needed: neededVariables(schema, document) };
  } catch (error) {
    if (error instanceof GraphQLError) return { syntaxError: error };
    // The parser calls itself for every level: within `maxTokens` a document can still be deeper than the stack.
    if (error instanceof RangeError) return { syntaxError: new GraphQLError('The document is nested too deeply.') };
    throw error;
  }
}

interface Reading {
  schema: GraphQLSchema;
  parsed: (query: string) => Parsed;
  /** Bytes of the body, at most. */
  limit: number;
}

async function readRequest(http: HttpContext, { schema, parsed, limit }: Reading): Promise<GraphQLRequest> {
  if (http.method !== 'POST' && http.method !== 'GET') throw new MethodNotAllowed(http.method, ['GET', 'POST']);
  const params = checkedParams(http.method === 'GET' ? readQuery(http.query) : await readPost(http, limit));
  const result = parsed(params.query);
  if ('syntaxError' in result) return { params, syntaxError: result.syntaxError, roots: [], nodes: 0 };
  const operation = getOperationAST(result.document, params.operationName) ?? undefined;
  if (operation === undefined) return { params, document: result.document, roots: [], nodes: 0 };
  if (operation.operation !== 'query' && http.method === 'GET' && !http.get('Accept').includes('text/event-stream'))
    throw new MethodNotAllowed(http.method, ['POST']);
  if (operation.operation === 'mutation' && http.method === 'GET') throw new MethodNotAllowed(http.method, ['POST']);
  const { document, standard, needed } = result;
  const absent = Object.entries(params.variables ?? {}).find(([name, value]) => value === null && needed.has(name));
  if (absent !== undefined)
    throw new ValidationFailed([{ path: ['variables', absent[0]], message: 'must not be null where the document uses it', rule: 'null' }]);
  const roots = rootFields(schema, document, operation);
  if (standard !== undefined) return { params, document, operation, standard, roots, nodes: 0 };
  return { params, document, operation, roots, nodes: countNodes(schema, document, operation, params.variables ?? {}) };
}

// Gap G-153: 4 MiB over GraphQL needs a credential, a Content-Length, and one batch mutation alone; all else is 413 above 256 KiB.
/** A body that a batch alone may have. It is of the general class, so it can be read when the budgets are taken and its sender is known. */
function isLarge({ method, req }: HttpContext): boolean {
  const length = Number(req.headers['content-length']);
  return method === 'POST' && length > bodyLimit && length <= batchBodyLimit;
}

/** True for one batch and nothing else, which costs a point like any small request. */
function isOneBatch(request: GraphQLRequest): boolean {
  const [root, ...others] = request.roots;
  const facts = root?.definition?.extensions['facts'] as FieldFacts | undefined;
  return facts?.batch === true && others.length === 0 && rateOf(request).rateCost === 1;
}

/**
 * What sets `state.graphql`. `read` comes before the budgets, and sets the class and cost of the request too. `readLarge` comes after
 * them: it reads what `read` has left, the body of a batch. Neither throws.
 */
export function graphqlReaders(schema: GraphQLSchema): { read: Handler; readLarge: Handler } {
  const documents = new LRUCache<string, Parsed>({ max: mostDocuments, maxSize: mostDocumentBytes, sizeCalculation: bytesOf });
  const parsed = (query: string): Parsed => {
    const kept = documents.get(query);
    if (kept !== undefined) return kept;
    const result = parseDocument(schema, query);
    documents.set(query, result);
    return result;
  };
  const failed = (failure: unknown): GraphQLRequest => ({ failure, params: { query: '' }, roots: [], nodes: 0 });
  return {
    async read(http, next) {
      const { state } = http;
      state.face = 'graphql';
      if (isLarge(http)) return next();
      try {
        state.graphql = await readRequest(http, { schema, parsed, limit: bodyLimit });
        Object.assign(state, rateOf(state.graphql));
      } catch (failure) {
        state.graphql = failed(failure);
      }
      return next();
    },
    async readLarge(http, next) {
      const { state } = http;
      if (state.graphql !== undefined) return next();
      try {
        const isKnown = state.ctx !== undefined && state.ctx.actor.type !== 'anonymous';
        const request = isKnown ? await readRequest(http, { schema, parsed, limit: batchBodyLimit }) : undefined;
        if (request === undefined || !isOneBatch(request)) throw new BodyTooLarge(bodyLimit);
        state.graphql = request;
      } catch (failure) {
        // What is left of it must pass before the connection can be used again.
        http.req.resume();
        state.graphql = failed(failure);
      }
      return next();
    },
  };
}
