// GET /: where somebody begins who knows the address alone. A browser gets a page, everybody else JSON that says the same.
import { type Asset, packAsset, sendAsset } from './asset.js';
import type { Handler } from './state.js';

export interface HomeOptions {
  title: string;
  /** `Sandbox` or `Production`. */
  environment: string;
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  // An empty icon: without one browsers ask for /favicon.ico.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const about = 'A payments platform for software agents: wallets, an exact ledger and agents with keys of their own, over REST and GraphQL.';

const links = [
  { rel: 'docs', href: '/docs', name: 'Documentation', what: 'guides by task, and every operation with a button to try it' },
  { rel: 'graphql', href: '/graphql', name: 'GraphiQL', what: 'the same operations in GraphQL, with examples' },
  { rel: 'console', href: '/console', name: 'Console', what: 'what agents do, and approvals, for people' },
  { rel: 'openapi', href: '/v1/openapi.json', name: 'openapi.json', what: 'the document behind the reference' },
  { rel: 'mcp', href: '/mcp', name: 'MCP', what: 'tools for models, by POST' },
  { rel: 'health', href: '/health', name: 'Health', what: 'whether this process is alive; /ready says whether it can serve' },
] as const;

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
dt { font-weight: 600; margin-top: .9rem; }
dd { margin: 0; }
code { font-size: .9em; }
`;

const pageOf = ({ title, environment }: HomeOptions, stylePath: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${stylePath}">
  </head>
  <body>
    <main>
      <h1>${title}: ${environment}</h1>
      <p>${about}</p>
      <dl>
${links.map(({ href, name, what }) => `        <dt><a href="${href}">${name}</a></dt>\n        <dd>${what}</dd>`).join('\n')}
      </dl>
      <p>Programs begin with <code>GET /v1/me</code> and the header <code>Authorization: Bearer &lt;your key&gt;</code>.</p>
    </main>
  </body>
</html>
`;

/** The handlers of `/` and of the style sheet of its page. */
export function openHome(options: HomeOptions): { page: Handler; asset: Handler } {
  let packed: Promise<Asset> | undefined;
  const load = () => {
    packed ??= packAsset(style, 'text/css');
    return packed;
  };
  const pathOf = ({ hash }: Asset) => `/assets/home.${hash}.css`;
  return {
    page: async (http) => {
      http.vary('Accept');
      if (!http.get('Accept').includes('text/html')) {
        http.body = {
          name: options.title,
          environment: options.environment.toLowerCase(),
          about,
          links: Object.fromEntries(links.map(({ rel, href }) => [rel, href])),
          first_call: 'GET /v1/me with the header Authorization: Bearer <your key>',
        };
        return;
      }
      http.set('Content-Security-Policy', policy);
      http.type = 'text/html';
      http.body = pageOf(options, pathOf(await load()));
    },
    asset: async (http) => {
      const asset = await load();
      if (http.path === pathOf(asset)) sendAsset(http, asset, 'immutable');
    },
  };
}
