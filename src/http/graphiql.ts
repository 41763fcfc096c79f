// GraphiQL, served whole from here: a small page that holds its options as data, and one script and one style sheet that are
// packed on first use. Nothing inline runs and nothing is fetched from elsewhere (CONTRACT.md 21).
import { type Asset, packAsset, sendAsset } from './asset.js';
import type { Handler, HttpContext } from './state.js';

export interface GraphiQLOptions {
  title: string;
  /** What the page opens with. It should run as it stands. */
  defaultQuery: string;
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

const headersHint = `// Send your credential with every request:
// "Authorization": "Bearer pk_test_..."
{
}`;

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

/** Takes the page of the package apart: its script starts from options in the page rather than from options in itself. */
async function loadParts(): Promise<Parts> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({});
  const script = between(html, '<script>', '</script>');
  const start = script.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL(');
  if (start < 0) throw new Error("GraphiQL's page does not start as expected");
  const root = "document.querySelector('#root')";
  const options = "JSON.parse(document.querySelector('#options').textContent)";
  const [js, css] = await Promise.all([
    packAsset(`${script.slice(0, start)}YogaGraphiQL.renderYogaGraphiQL(${root}, ${options});`, 'text/javascript'),
    // The first style sheet ends where the head does; later ones are inside the script.
    packAsset(between(html.slice(0, html.indexOf('</head>')), '<style>', '</style>'), 'text/css'),
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

function renderPage({ js, css, icon }: Parts, { title, defaultQuery }: GraphiQLOptions, query: string | undefined): string {
  const options = {
    title: escapeHtml(title),
    endpoint: '/graphql',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    defaultQuery,
    headers: headersHint,
    ...(query === undefined ? {} : { query }),
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
