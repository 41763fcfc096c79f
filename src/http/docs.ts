// GET /docs: the API reference with try-it, and GET /v1/openapi.json beside it. Swagger UI is served whole from here under a
// policy that lets the page talk to this server alone.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type ListenerAddress, originFor } from '../platform/authority.js';
import type { Clock } from '../platform/clock.js';
import { type Asset, packAsset, sendAsset } from './asset.js';
import { dayOf, withExamplesOf } from './example-date.js';
import type { Handler } from './state.js';

export interface DocsOptions {
  title: string;
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

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The key that a person enters lives as long as the page. What earlier versions have kept of it goes. */
const startScript = `try { localStorage.removeItem('authorized'); } catch {}
window.ui = SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
});
`;

const ownStyle = `
body { margin: 0; background: #fff; }
header { font: 16px/1.5 system-ui, sans-serif; background: #16213a; color: #fff; padding: 12px 24px; display: flex; gap: 24px; flex-wrap: wrap; align-items: baseline; }
header strong { font-size: 18px; }
header a { color: #b9cdfd; }
.swagger-ui .wrapper { max-width: 1200px; }
.swagger-ui .dialog-ux .modal-ux-content { max-height: 80vh; padding: 8px 20px; }
.swagger-ui .auth-container, .swagger-ui .auth-container:last-of-type { margin: 0; padding: 6px 0 8px; }
.swagger-ui .auth-container h4 { margin: 0; }
.swagger-ui .auth-btn-wrapper { justify-content: flex-start; padding: 2px 0; }
.swagger-ui .info { margin: 28px 0 20px; }
.swagger-ui .scheme-container { padding: 14px 0; margin: 0 0 12px; box-shadow: none; border-block: 1px solid #d8dde7; }
`;

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

interface Files {
  page: string;
  byPath: ReadonlyMap<string, Asset>;
}

async function loadFiles(title: string): Promise<Files> {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  // Without its last line, which names a source map that is not served.
  const read = async (name: string) =>
    (await readFile(path.join(folder, name), 'utf8')).replace(/\/[/*]# sourceMappingURL=\S+( \*\/)?\s*$/, '');
  const [bundle, style, start, icon] = await Promise.all([
    read('swagger-ui-bundle.js').then((text) => packAsset(text, 'text/javascript')),
    read('swagger-ui.css').then((text) => packAsset(text + ownStyle, 'text/css')),
    packAsset(startScript, 'text/javascript'),
    readFile(path.join(folder, 'favicon-32x32.png')).then((bytes) => packAsset(bytes, 'image/png')),
  ]);
  const named = (name: string, { hash }: Asset, ext: string) => `/docs/assets/${name}.${hash}.${ext}`;
  const paths = {
    bundle: named('reference', bundle, 'js'),
    style: named('reference', style, 'css'),
    start: named('start', start, 'js'),
    icon: named('icon', icon, 'png'),
  };
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" type="image/png" href="${paths.icon}">
    <link rel="stylesheet" href="${paths.style}">
  </head>
  <body>
    <header><strong>${escapeHtml(title)}</strong><a href="/graphql">GraphiQL</a><a href="/v1/openapi.json">openapi.json</a></header>
    <noscript>The reference needs JavaScript; /v1/openapi.json has the same as data.</noscript>
    <main id="reference"></main>
    <script src="${paths.bundle}"></script>
    <script src="${paths.start}"></script>
  </body>
</html>
`;
  const byPath = new Map([
    [paths.bundle, bundle],
    [paths.style, style],
    [paths.start, start],
    [paths.icon, icon],
  ]);
  return { page, byPath };
}

export interface Docs {
  page: Handler;
  /** The files of the page, under /docs/assets. */
  asset: Handler;
  /** The OpenAPI document. */
  document: Handler;
}

/** The handlers of /docs, its files and /v1/openapi.json. */
export function openDocs({ title, openapi, serverDescription, clock, listener }: DocsOptions): Docs {
  let files: Promise<Files> | undefined;
  const load = (): Promise<Files> => {
    files ??= loadFiles(title).catch((error) => {
      files = undefined;
      throw error;
    });
    return files;
  };
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
  return {
    page: async (http) => {
      const { page } = await load();
      http.set('Content-Security-Policy', policy);
      http.set('Cache-Control', 'no-cache');
      http.type = 'text/html';
      http.body = page;
    },
    asset: async (http) => {
      const asset = (await load()).byPath.get(http.path);
      if (asset !== undefined) sendAsset(http, asset, 'immutable');
    },
    document: async (http) => sendAsset(http, await documentFor(originFor(listener, http.req)), 'revalidate'),
  };
}
