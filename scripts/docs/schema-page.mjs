// The GraphQL schema as a page: each type with its description and fields, whose types are links.
import { Kind, parse } from 'graphql';
import { escapeHtml } from './highlight.mjs';

const groups = [
  ['Queries, mutations, subscriptions', ({ name }) => /^(Query|Mutation|Subscription)$/.test(name)],
  ['Objects', ({ kind }) => kind === Kind.OBJECT_TYPE_DEFINITION],
  ['Interfaces and unions', ({ kind }) => kind === Kind.INTERFACE_TYPE_DEFINITION || kind === Kind.UNION_TYPE_DEFINITION],
  ['Inputs', ({ kind }) => kind === Kind.INPUT_OBJECT_TYPE_DEFINITION],
  ['Enums', ({ kind }) => kind === Kind.ENUM_TYPE_DEFINITION],
  ['Scalars', ({ kind }) => kind === Kind.SCALAR_TYPE_DEFINITION],
];

const textOf = (description) => (description === undefined ? '' : `<p>${escapeHtml(description.value)}</p>`);

function typeOf(node, known) {
  if (node.kind === Kind.NON_NULL_TYPE) return `${typeOf(node.type, known)}!`;
  if (node.kind === Kind.LIST_TYPE) return `[${typeOf(node.type, known)}]`;
  const { value } = node.name;
  return known.has(value) ? `<a href="#${value}">${value}</a>` : value;
}

function drawField({ name, arguments: given = [], type, description }, known) {
  const inputs = given.map((argument) => `${argument.name.value}: ${typeOf(argument.type, known)}`).join(', ');
  const written = `${name.value}${inputs === '' ? '' : `(${inputs})`}${type === undefined ? '' : `: ${typeOf(type, known)}`}`;
  return `<li><code>${written}</code>${description === undefined ? '' : ` ${escapeHtml(description.value)}`}</li>`;
}

function drawType({ name, node }, known) {
  const parts = node.fields ?? node.values ?? [];
  const members = (node.types ?? []).map((type) => `<li><code>${typeOf(type, known)}</code></li>`);
  const items = [...parts.map((part) => drawField(part, known)), ...members].join('');
  return `<h3 id="${name}" tabindex="-1">${name}</h3>${textOf(node.description)}${items === '' ? '' : `<ul>${items}</ul>`}`;
}

/** The page, with a section for the search of each type. */
export function schemaPage(sdl) {
  const types = parse(sdl).definitions.flatMap((node) =>
    node.name === undefined || node.kind === Kind.DIRECTIVE_DEFINITION ? [] : [{ name: node.name.value, kind: node.kind, node }],
  );
  const known = new Set(types.map(({ name }) => name));
  const left = new Set(types);
  const drawn = groups.map(([title, belongs], i) => {
    const own = types.filter((type) => left.has(type) && belongs(type));
    for (const type of own) left.delete(type);
    return `<h2 id="group-${i}" tabindex="-1">${title}</h2>${own.map((type) => drawType(type, known)).join('')}`;
  });
  const intro =
    '<h1>GraphQL schema</h1><p>Every type of the endpoint <code>/graphql</code>. The same as a file: <a href="/docs/schema.graphql">schema.graphql</a>.</p>';
  return {
    name: 'schema',
    title: 'GraphQL schema',
    html: intro + drawn.join(''),
    headings: groups.map(([title], i) => ({ level: 2, title, slug: `group-${i}` })),
    sections: types.map(({ name, node }) => ({
      title: name,
      page: 'GraphQL schema',
      text: node.description?.value ?? '',
      address: `/docs/schema#${name}`,
    })),
  };
}
