// GraphiQL, served whole from here: a small page that holds its options as data, and one script and one style sheet that are
// packed on first use. Nothing inline runs and nothing is fetched from elsewhere (CONTRACT.md 21).
import { type Asset, packAsset, sendAsset } from './asset.js';
import type { Handler, HttpContext } from './state.js';

export interface GraphiQLOptions {
  title: string;
  /** What the page opens with, and the others of its list. They should run as they stand. */
  examples: readonly { title: string; document: string }[];
  /** The document of a REST operation, for `/graphql?op=<name>`. */
  documentOf: (operationName: string) => string | undefined;
}

const assetName = /^graphiql\.([0-9a-f]{16})\.(js|css)$/;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headersHint = `// Headers of this tab alone:
{
}`;

/**
 * The field for the credential of all tabs and the list of examples, above them, and a tab that moves away from under the pointer that presses it, by what
 * GraphiQL has measured of its place, and is never clicked.
 */
const ownStyle = `
body { display: flex; flex-direction: column; height: 100vh; margin: 0; color-scheme: light dark; }
#root { flex: 1; min-height: 0; }
#credential { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 8px 16px; font: 14px system-ui, sans-serif; }
#credential { background: light-dark(#f4f5f9, #191d28); color: light-dark(#171b26, #edf0f7); }
#credential input { flex: 0 1 360px; font: inherit; padding: 4px 8px; -webkit-text-security: disc; }
#credential select { font: inherit; padding: 4px 8px; margin-left: auto; max-width: 100%; }
#credential span { color: light-dark(#555d70, #a9b2c6); }
.graphiql-container { height: 100%; }
.graphiql-tab { transform: none !important; }`;

// Gap G-379: GraphiQL has one credential field for all tabs, which is not stored; headers of a tab win over it.
/**
 * Sends what stands in that field, unless the headers of the tab have a credential of their own. It is kept nowhere. An example of the list
 * opens in a tab of its own: the editor is begun again with it, and finds the other tabs where it keeps them.
 */
const ownScript = `
const options = JSON.parse(document.querySelector('#options').textContent);
const field = document.querySelector('#api-key');
const list = document.querySelector('#explore');
const { examples } = options;
delete options.examples;
options.additionalHeaders = (request) => {
  const key = field.value.trim();
  const own = Object.keys(request?.extensions?.headers ?? {}).some((name) => name.toLowerCase() === 'authorization');
  return key === '' || own ? {} : { Authorization: 'Bearer ' + key };
};
const begin = (more) => {
  const before = document.querySelector('#root');
  const root = before.cloneNode(false);
  before.replaceWith(root);
  YogaGraphiQL.renderYogaGraphiQL(root, { ...options, ...more });
};
list.addEventListener('change', () => {
  const example = examples[Number(list.value)];
  list.value = '';
  if (example !== undefined) begin({ query: example.document });
});
begin({});`;

interface Parts {
  js: Asset;
  css: Asset;
  icon: string;
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  const to = text.lastIndexOf(end);
  if (from < start.length || to < from) throw new Error(`GraphiQL's page has no ${start}`);
  return text.slice(from, to);
}

/** Takes the page of the package apart: its script starts as `ownScript` says rather than from options in itself. */
async function loadParts(): Promise<Parts> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({});
  const script = between(html, '<script>', '</script>');
  const start = script.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL(');
  if (start < 0) throw new Error("GraphiQL's page does not start as expected");
  const [js, css] = await Promise.all([
    packAsset(script.slice(0, start) + ownScript, 'text/javascript'),
    // The first style sheet ends where the head does; later ones are inside the script.
    packAsset(between(html.slice(0, html.indexOf('</head>')), '<style>', '</style>') + ownStyle, 'text/css'),
  ]);
  const icon = /<link rel="icon" href="(data:[^"]+)"/.exec(html)?.[1] ?? 'data:,';
  return { js, css, icon };
}

/** JSON that can stand inside a script element. */
function dataJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function renderPage({ js, css, icon }: Parts, { title, examples }: GraphiQLOptions, query: string | undefined): string {
  const options = {
    title: escapeHtml(title),
    endpoint: '/graphql',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    defaultQuery: examples[0]?.document,
    examples,
    headers: headersHint,
    // Kept in the browser where a person says so in the settings, and not by default.
    shouldPersistHeaders: null,
    ...(query === undefined ? { defaultTabs: [{ query: examples[0]?.document, headers: headersHint }] } : { query }),
  };
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${escapeHtml(icon)}">
    <link rel="stylesheet" href="/graphql/assets/graphiql.${css.hash}.css">
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="credential">
      <label for="api-key">API key for all tabs</label>
      <input id="api-key" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="pk_test_…" aria-describedby="api-key-hint">
      <span id="api-key-hint">Sent with every request, and forgotten when this page is left.</span>
      <select id="explore" aria-label="Explore: open an example">
        <option value="">Explore…</option>
        ${examples.map(({ title: name }, at) => `<option value="${at}">${escapeHtml(name)}</option>`).join('\n        ')}
      </select>
    </div>
    <div id="root"></div>
    <script type="application/json" id="options">${dataJson(options)}</script>
    <script src="/graphql/assets/graphiql.${js.hash}.js"></script>
  </body>
</html>
`;
}

function sendPage(http: HttpContext, parts: Parts, options: GraphiQLOptions): void {
  const { op } = http.query;
  http.set('Content-Security-Policy', policy);
  http.set('Cache-Control', 'no-cache');
  http.type = 'text/html';
  http.body = renderPage(parts, options, typeof op === 'string' ? options.documentOf(op) : undefined);
}

export interface GraphiQL {
  /** Answers browsers at GET /graphql; every other request goes on. */
  page: Handler;
  /** The files of the page, under /graphql/assets. */
  asset: Handler;
}

/** The handlers of GraphiQL. */
export function openGraphiQL(options: GraphiQLOptions): GraphiQL {
  let parts: Promise<Parts> | undefined;
  const load = (): Promise<Parts> => {
    parts ??= loadParts().catch((error) => {
      parts = undefined;
      throw error;
    });
    return parts;
  };
  return {
    page: async (http, next) => {
      const isRead = http.method === 'GET' || http.method === 'HEAD';
      return isRead && http.get('Accept').includes('text/html') ? sendPage(http, await load(), options) : next();
    },
    asset: async (http) => {
      const [, hash, kind] = assetName.exec(http.params['file'] ?? '') ?? [];
      if (hash === undefined) return;
      const { js, css } = await load();
      const asset = kind === 'js' ? js : css;
      if (asset.hash === hash) sendAsset(http, asset, 'immutable');
    },
  };
}
