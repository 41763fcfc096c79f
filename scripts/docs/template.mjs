// The pages of the site as HTML. Nothing is written into a page that would need an exception from its policy: scripts, styles and data
// are files.
import { escapeHtml } from './highlight.mjs';

/** The groups of pages at the left, and which of them this is. */
function drawNav(groups, name) {
  const drawn = groups.map(({ title, links }) => {
    const items = links.map(({ label, address }) => {
      const current = address === `/docs/${name}` ? ' aria-current="page"' : '';
      return `<li><a href="${escapeHtml(address)}"${current}>${escapeHtml(label)}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
  });
  return drawn.join('');
}

function drawContents(headings) {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ title, slug }) => `<li><a href="#${slug}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function drawNeighbours({ previous, next }) {
  const link = (page, label) =>
    page === undefined ? '<span></span>' : `<a href="${page.address}"><small>${label}</small>${escapeHtml(page.label)}</a>`;
  return previous === undefined && next === undefined
    ? ''
    : `<nav class="neighbours" aria-label="Next pages">${link(previous, 'Before')}${link(next, 'Next')}</nav>`;
}

/** What every page begins with. `assets` are the addresses of its files. */
function drawHead({ title, description, assets, styles = [] }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
${[assets.style, ...styles].map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
</head>`;
}

function drawHeader(assets, nav) {
  return `<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<a class="brand" href="/docs"><img src="${assets.icon}" alt="" width="26" height="26"> Agent Payments <span>Docs</span></a>
<div class="search" data-index="${assets.search}"><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false"></div>
<nav class="places" aria-label="Places"><a href="/docs/reference">Reference</a><a href="/graphql">GraphiQL</a><a href="/console">Console</a></nav>
${nav === '' ? '' : `<details class="menu"><summary>Menu</summary><nav aria-label="Pages, short">${nav}</nav></details>`}
</header>`;
}

/** A page of text. */
export function drawPage({ name, title, description, html, headings, groups, neighbours, assets }) {
  const nav = drawNav(groups, name);
  const own = name === '' ? 'llms.txt' : `${name}.md`;
  return `${drawHead({ title: name === '' ? title : `${title} · Agent Payments`, description, assets })}
<body>
${drawHeader(assets, nav)}
<div class="columns">
<nav class="pages" aria-label="Pages">${nav}</nav>
<main id="main" tabindex="-1"${name === '' ? ' class="home"' : ''}>
<article>${html}</article>
${drawNeighbours(neighbours)}
<footer><a href="/docs/${own}">This page as markdown</a><a href="/docs/llms.txt">llms.txt</a><a href="/docs/openapi.json">openapi.json</a></footer>
</main>
${drawContents(headings)}
</div>
<script src="${assets.reader}" type="module"></script>
</body>
</html>
`;
}

/** The page of the REST reference, which Swagger UI draws. */
export function drawReference({ description, groups, assets }) {
  return `${drawHead({ title: 'REST reference · Agent Payments', description, assets, styles: [assets.swaggerStyle] })}
<body class="wide">
${drawHeader(assets, drawNav(groups, 'reference'))}
<noscript>The reference needs JavaScript. /v1/openapi.json has the same as data.</noscript>
<div id="main" tabindex="-1"><div id="reference"></div></div>
<script src="${assets.swagger}"></script>
<script src="${assets.reference}"></script>
<script src="${assets.reader}" type="module"></script>
</body>
</html>
`;
}
