// GET /docs: the documentation, as scripts/docs.mjs has built it into dist/docs, with the REST reference, and GET /v1/openapi.json beside it.
// Its pages load what this server has and nothing else, and run nothing that stands in them (decision 0071).
import { fileURLToPath } from 'node:url';
import { type ListenerAddress, originFor } from '../platform/authority.js';
import type { Clock } from '../platform/clock.js';
import { type Asset, packAsset, sendAsset } from './asset.js';
import { openBuiltFolder } from './built-folder.js';
import { dayOf, withExamplesOf } from './example-date.js';
import type { Handler } from './state.js';

export interface DocsOptions {
  /** The document; its `servers` are replaced by the address of this listener, and the dates of its examples by those of today. */
  openapi: () => Record<string, unknown>;
  /** What `servers` says of this listener, such as "Sandbox". */
  serverDescription: string;
  clock: Clock;
  /** Where it is reached; see `originFor`. */
  listener: ListenerAddress;
}

/** Addresses of this listener that a document is kept for; for others its `servers` is relative to where it was read. */
const mostAddresses = 8;

/** Swagger UI writes styles into its page, and draws small pictures that stand in its style sheet. */
const policyOf = (page: string): string => {
  const [styles, images] = page === 'reference' ? [" 'unsafe-inline'", ' data:'] : ['', ''];
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles}`,
    `img-src 'self'${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** Beside this file's own root, whether that is src or dist. */
const builtFolder = fileURLToPath(new URL('../../dist/docs', import.meta.url));

export interface Docs {
  /** A page, or a text under /docs: `start`, `start.md`, `llms.txt`. */
  page: Handler;
  /** The files of the pages, under /docs/assets. */
  asset: Handler;
  /** What a model reads first, at the root of the server. */
  llms: Handler;
  /** The OpenAPI document. */
  document: Handler;
}

/** The handlers of /docs, its files and /v1/openapi.json. */
export function openDocs({ openapi, serverDescription, clock, listener }: DocsOptions): Docs {
  const built = openBuiltFolder(builtFolder);
  // The text by the address that it names. Each is printed once: whoever comes under one port after another cannot have it done over.
  const documents = new Map<string, Promise<Asset>>();
  let printedOn = 0;
  const documentFor = (origin: string): Promise<Asset> => {
    const today = dayOf(clock.now());
    if (today !== printedOn) documents.clear();
    printedOn = today;
    const url = documents.has(origin) || documents.size < mostAddresses ? origin : '/';
    const kept = documents.get(url);
    if (kept !== undefined) return kept;
    const document = { ...withExamplesOf(today, openapi()), servers: [{ url, description: serverDescription }] };
    const asset = packAsset(JSON.stringify(document), 'application/json');
    documents.set(url, asset);
    asset.catch(() => documents.delete(url));
    return asset;
  };
  const document: Handler = async (http) => sendAsset(http, await documentFor(originFor(listener, http.req)), 'revalidate');
  return {
    page: async (http, next) => {
      const name = (http.params['page'] ?? 'index').replace(/\.html$/, '');
      if (name === 'openapi.json') return document(http, next);
      const isText = name.includes('.');
      const found = await built(isText ? name : `${name}.html`);
      if (found === undefined) return;
      if (!isText) http.set('Content-Security-Policy', policyOf(name));
      sendAsset(http, found, 'revalidate');
    },
    asset: async (http) => {
      const found = await built(`assets/${http.params['file']}`);
      if (found !== undefined) sendAsset(http, found, 'immutable');
    },
    llms: async (http) => {
      const found = await built('llms.txt');
      if (found !== undefined) sendAsset(http, found, 'revalidate');
    },
    document,
  };
}
