// Colours of code, given at build time: comments, strings, numbers and words of a language. Anything else stays as it is.
const string = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const number = String.raw`\b\d[\d_.]*\b`;
const words = (list) => `\\b(?:${list.replaceAll(' ', '|')})\\b`;

const script = words(
  'async await break catch const continue else export finally for from function if import in let new of return throw try type typeof while',
);
const python = words(
  'and as async await break class def elif else except False finally for from if import in is lambda None not or pass raise return True try while with',
);
const shell = words('curl do done echo else export fi for function if in node npm npx openssl python3 then while');

const grammar = (groups) =>
  new RegExp(
    Object.entries(groups)
      .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
      .join('|'),
    'gm',
  );

const ts = grammar({ comment: String.raw`\/\/.*$`, string: `\`[^\`]*\`|${string}`, word: script, number });
const grammars = {
  sh: grammar({ comment: '(?<=^|\\s)#.*$', string, name: String.raw`\$\w+|\$\{\w+\}`, word: shell }),
  ts,
  js: ts,
  python: grammar({ comment: '#.*$', string: `f?(?:${string})`, word: python, number }),
  json: grammar({ name: String.raw`"(?:\\.|[^"\\])*"(?=\s*:)`, string, word: words('true false null'), number }),
  graphql: grammar({
    comment: '#.*$',
    string: `"""[^]*?"""|${string}`,
    name: String.raw`[$@]\w+`,
    word: words('query mutation subscription fragment on type enum input scalar interface union directive schema implements'),
    number,
  }),
};

/** Text that means itself in HTML. */
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** The code as HTML, with a class on what has a colour. */
export function highlight(code, language) {
  const pattern = grammars[language];
  if (pattern === undefined) return escapeHtml(code);
  let html = '';
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
