// GET /schema.graphql: the schema as text, for code generators and editors (CONTRACT.md 21).
import { type GraphQLSchema, printSchema } from 'graphql';
import { lazily } from '../platform/lazy.js';
import { packAsset, sendAsset } from './asset.js';
import type { Handler } from './state.js';

/** Serves the schema, printed when it is first asked for. */
export function serveSchema(schema: GraphQLSchema): Handler {
  const text = lazily(() => packAsset(`${printSchema(schema)}\n`, 'application/graphql'));
  return async (http) => sendAsset(http, await text(), 'revalidate');
}
