// Builds the documentation: the pages of docs/guide and some others of docs/ as HTML and as markdown, the REST reference, the GraphQL schema,
// the index of the search, and llms.txt. `npm run docs` writes them into dist/docs, from where the platform serves them at /docs; as
// static pages they stand anywhere where they are reached under /docs, and where /docs/start finds start.html.
//   node scripts/docs.mjs [folder]
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { openMarkdown, slugOf } from './docs/markdown.mjs';
import { schemaPage } from './docs/schema-page.mjs';
import { drawPage, drawReference } from './docs/template.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const target = path.resolve(process.argv[2] ?? at('dist', 'docs'));
const read = (...parts) => readFileSync(at(...parts), 'utf8');
const home = 'docs/guide/index.md';
const openapi = JSON.parse(read('openapi.json'));

function write(name, content) {
  const file = path.join(target, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Writes a file of the pages under a name that has its hash; returns its address. */
function asset(name, content) {
  const { name: stem, ext } = path.parse(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  write(`assets/${stem}.${hash}${ext}`, content);
  return `/docs/assets/${stem}.${hash}${ext}`;
}

/** A script for the browser, with what it imports. */
async function bundled(name) {
  const bundle = await rolldown({ input: at('scripts', 'docs', name), logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}

/** A file of Swagger UI without its last line, which names a source map that is not there. */
function swagger(name) {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFileSync(path.join(folder, name), 'utf8').replace(/\/[/*]# sourceMappingURL=\S+( \*\/)?\s*$/, '');
}

/** The groups of pages as the first page lists them: what a link says, where it leads, and the file that it names. */
function groupsOf(source) {
  return source
    .split(/^## /m)
    .slice(1)
    .map((group) => ({
      title: group.slice(0, group.indexOf('\n')),
      links: [...group.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)].map(([, label, to, description]) => {
        const file = to.startsWith('/') ? undefined : path.posix.join(path.posix.dirname(home), to);
        return { label, description, file, address: file === undefined ? to : `/docs/${path.posix.basename(to, '.md')}` };
      }),
    }));
}

const groups = groupsOf(read(home));
const pages = groups.flatMap(({ links }) => links).filter(({ file }) => file !== undefined);
const addressOf = new Map([[home, '/docs'], ...pages.map(({ file, address }) => [file, address])]);

/** Where a link of a source leads on the site; null for a file of the repository that is not on it. */
const linksFrom = (source, suffix) => (to) => {
  if (/^([a-z]+:|\/|#)/.test(to)) return to;
  const [name, fragment] = to.split('#');
  const file = path.posix.join(path.posix.dirname(source), name);
  const hash = fragment === undefined ? '' : `#${fragment}`;
  if (addressOf.has(file)) return `${addressOf.get(file)}${file === home ? '' : suffix}${hash}`;
  return /\.(webp|png|svg)$/.test(file) ? asset(path.basename(file), readFileSync(at(file))) : null;
};

/** The source for whoever reads it as it is: links lead to other sources, and what is said to the test is left out. */
function markdownOf(source, text) {
  const linkTo = linksFrom(source, '.md');
  return text.replace(/^```(\w+) .*$/gm, '```$1').replace(/(!?)\[([^\]]+)\]\(([^)\s]+)\)/g, (_, picture, label, to) => {
    const address = linkTo(to);
    return address === null ? label : `${picture}[${label}](${address})`;
  });
}

/** The operations of the API, for the search. */
function operations() {
  return Object.entries(openapi.paths).flatMap(([route, item]) =>
    Object.entries(item).flatMap(([method, { operationId, summary, tags }]) =>
      operationId === undefined
        ? []
        : [
            {
              title: `${method.toUpperCase()} ${route}`,
              page: summary ?? '',
              text: operationId.replace(/([A-Z])/g, ' $1'),
              address: `/docs/reference#/${encodeURIComponent(tags?.[0] ?? 'default')}/${operationId}`,
            },
          ],
    ),
  );
}

/** A page of the guide as it is shown, with its sections for the search. */
function readPage(source, name, label) {
  const text = read(source);
  const { html, headings, sections } = openMarkdown(linksFrom(source, ''))(text);
  const title = sections[0]?.title ?? label;
  return {
    name,
    title,
    // The first page shows its lists as cards.
    html: name === '' ? html.replaceAll('</a>: ', '</a> ') : html,
    source,
    text,
    headings: headings.map((heading) => ({ ...heading, slug: slugOf(heading.title) })),
    sections: sections.map((section) => ({
      title: section.title,
      page: section.level === 1 ? '' : title,
      text: section.text,
      address: `/docs${name === '' ? '' : `/${name}`}${section.level === 1 ? '' : `#${slugOf(section.title)}`}`,
    })),
  };
}

function writeSources(shown) {
  for (const { name, source, text } of shown) if (name !== '') write(`${name}.md`, markdownOf(source, text));
  const llms = markdownOf(home, read(home));
  write('llms.txt', llms);
  write(
    'llms-full.txt',
    [llms, ...shown.filter(({ name }) => name !== '').map(({ source, text }) => markdownOf(source, text))].join('\n\n'),
  );
  write('openapi.json', JSON.stringify({ ...openapi, servers: [{ url: '/' }] }));
  write('schema.graphql', read('schema.graphql'));
}

async function build() {
  if (existsSync(target)) for (const name of readdirSync(target)) rmSync(path.join(target, name), { recursive: true });
  const shown = [
    readPage(home, '', 'Agent Payments'),
    ...pages.map(({ file, address, label }) => readPage(file, address.slice('/docs/'.length), label)),
  ];
  const schema = schemaPage(read('schema.graphql'));
  const sections = [...shown.flatMap((page) => page.sections), ...operations(), ...schema.sections];
  const assets = {
    icon: asset('icon.svg', read('src/console/icon.svg')),
    style: asset('page.css', read('scripts/docs/page.css')),
    reader: asset('reader.js', await bundled('reader.mjs')),
    search: asset('search.json', JSON.stringify(sections)),
    swagger: asset('swagger.js', swagger('swagger-ui-bundle.js')),
    swaggerStyle: asset('swagger.css', swagger('swagger-ui.css') + read('scripts/docs/reference.css')),
    reference: asset('reference.js', read('scripts/docs/reference.mjs')),
  };
  const descriptions = new Map(pages.map(({ address, description }) => [address.slice('/docs/'.length), description]));
  const ordered = groups.flatMap(({ links }) => links);
  for (const page of [...shown, schema]) {
    const here = ordered.findIndex(({ address }) => address === `/docs/${page.name}`);
    const neighbours = here < 0 ? {} : { previous: ordered[here - 1], next: ordered[here + 1] };
    const description = descriptions.get(page.name) ?? openapi.info.description ?? page.title;
    write(`${page.name || 'index'}.html`, drawPage({ ...page, description, groups, neighbours, assets }));
  }
  write('reference.html', drawReference({ description: 'Every REST operation, with examples and a button to try it.', groups, assets }));
  writeSources(shown);
}

await build();
