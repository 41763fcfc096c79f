// The standard introspection query, as graphql-js prints it for any of its options: it is answered to everybody, from a text that is
// prepared once (CONTRACT.md 21). It is told by its parsed document, so spaces and comments do not matter.
import {
  type DocumentNode,
  executeSync,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionOptions,
  Kind,
  parse,
  print,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../platform/schema/complexity.js';
import { type Packed, packAsset, packQuickly, sendPacked, unpacked } from './asset.js';
import { oneEventOf, sendStream } from './event-stream.js';
import { jsonTypeOf } from './graphql-result.js';
import type { HttpContext } from './state.js';

/** No document of graphql-js nests types deeper; none of ours has so many wrappers that more than this would show. */
const deepestType = 100;
const mostWrappers = 6;
/** Packed answers that are kept, a hundred kilobytes each. A client sends one or two of all that there are. */
const mostKept = 400;

/** The text of the standard query with these options. Versions before 16.13 do not ask for the kind of the root types. */
function standardText(options: IntrospectionOptions, rootKinds: boolean): string {
  const text = print(parse(getIntrospectionQuery(options)));
  return rootKinds ? text : text.replace(/(queryType|mutationType|subscriptionType) \{\s+name\s+kind\s+\}/g, '$1 {\n      name\n    }');
}

// Gap G-398: The standard introspection query is any that graphql-js 16 prints, alone in its document; it costs one point.
/** The standard document that `document` is, by its text; undefined when it is another one. */
export function standardIntrospection(document: DocumentNode): DocumentNode | undefined {
  const [operation, ...fragments] = document.definitions;
  const isLikely = operation?.kind === Kind.OPERATION_DEFINITION && operation.name?.value === 'IntrospectionQuery';
  if (!isLikely || fragments.length !== 3) return undefined;
  const text = print(document);
  const typeDepth = text.split('ofType').length - 1;
  if (typeDepth > deepestType) return undefined;
  const options: IntrospectionOptions = {
    descriptions: text.includes('description'),
    specifiedByUrl: text.includes('specifiedByURL'),
    directiveIsRepeatable: text.includes('isRepeatable'),
    schemaDescription: /__schema \{\s+description/.test(text),
    inputValueDeprecation: text.includes('inputFields(includeDeprecated'),
    experimentalDirectiveDeprecation: text.includes('directives(includeDeprecated'),
    oneOf: text.includes('isOneOf'),
    typeDepth,
  };
  const rootKinds = /queryType \{\s+name\s+kind/.test(text);
  if (standardText(options, rootKinds) !== text) return undefined;
  return parse(standardText({ ...options, typeDepth: Math.min(typeDepth, mostWrappers) }, rootKinds));
}

/** Everything that a standard query can ask for. */
const whole: IntrospectionOptions = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
  typeDepth: mostWrappers,
};

/** Sends the answer to a standard query: as JSON, or as the one event of a stream. */
export type SendIntrospection = (http: HttpContext, standard: DocumentNode, as: 'json' | 'stream') => Promise<void>;

const preparations = new WeakMap<GraphQLSchema, SendIntrospection>();

/** What answers standard queries about `schema`: made once for each schema, and prepared by the first that is asked. */
export function introspectionOf(schema: GraphQLSchema): SendIntrospection {
  const known = preparations.get(schema) ?? prepare(schema);
  preparations.set(schema, known);
  return known;
}

function prepare(schema: GraphQLSchema): SendIntrospection {
  let data: unknown;
  const usual = standardText({ typeDepth: mostWrappers }, true);
  const kept = new LRUCache<string, Promise<Packed>>({ max: mostKept });
  const assetOf = (standard: DocumentNode): Promise<Packed> => {
    const text = print(standard);
    const known = kept.get(text);
    if (known !== undefined) return known;
    data ??= executeSync({ schema, document: parse(getIntrospectionQuery(whole)) }).data;
    const answer = JSON.stringify({ data: selected(data, standard) });
    // Anybody can ask for each of many: what few ask for is packed in the quickest way.
    const asset = text === usual ? packAsset(answer, 'application/json') : packQuickly(answer);
    kept.set(text, asset);
    asset.catch(() => kept.delete(text));
    return asset;
  };
  return async (http, standard, as) => {
    const asset = await assetOf(standard);
    if (as === 'stream') return sendStream(http, oneEventOf(unpacked(asset)));
    http.status = 200;
    sendPacked(http, asset, jsonTypeOf(http));
  };
}

/** What the selection of `standard` takes of a whole answer. */
function selected(data: unknown, standard: DocumentNode): unknown {
  const fragments = fragmentsOf(standard);
  const take = (value: unknown, set: SelectionSetNode | undefined): unknown => {
    if (Array.isArray(value)) return value.map((item) => take(item, set));
    if (value === null || set === undefined) return value;
    const object = value as Record<string, unknown>;
    const taken: Record<string, unknown> = {};
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        // Arguments and directives that are deprecated are left out where nobody asks for them.
        const hidesDeprecated = (selection.arguments ?? []).length === 0 && Array.isArray(object[name]);
        const shown = hidesDeprecated ? (object[name] as { isDeprecated?: boolean }[]).filter((item) => !item.isDeprecated) : object[name];
        taken[name] = take(shown, selection.selectionSet);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        Object.assign(taken, take(value, fragments.get(selection.name.value)?.selectionSet));
      }
    }
    return taken;
  };
  const [operation] = standard.definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? take(data, operation.selectionSet) : undefined;
}
