// A page of markdown as HTML: headings with anchors, pictures of flows, code in tabs with its answers, and links to other pages.
import MarkdownIt from 'markdown-it';
import { escapeHtml, highlight } from './highlight.mjs';
import { drawSequence } from './sequence.mjs';

const languages = { sh: 'curl', ts: 'TypeScript', js: 'JavaScript', python: 'Python', json: 'JSON', graphql: 'GraphQL', text: 'Text' };

/** Blocks of these languages that follow each other are tabs. */
const tabs = new Set(['sh', 'ts', 'python']);

/** The name of a section in the address: that of GitHub. */
export const slugOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** What stands after the three ticks: a language, then `answer` or `not-run="why"`. */
function infoOf({ info }) {
  const [language = 'text'] = info.trim().split(/\s+/);
  return { language, isAnswer: /\banswer\b/.test(info), notRun: /not-run="([^"]+)"/.exec(info)?.[1] };
}

const drawPre = (content, language) => `<pre tabindex="0"><code>${highlight(content.trimEnd(), language)}</code></pre>`;

function drawCode(fence, answers) {
  const { language } = infoOf(fence);
  const label = language === 'sh' && !/\bcurl\b/.test(fence.content) ? 'Shell' : (languages[language] ?? language);
  const shown = answers.map((answer) => `<div class="answer"><p>Answer</p>${drawPre(answer.content, infoOf(answer).language)}</div>`);
  return `<div class="code" data-language="${language}" data-label="${label}"><p class="bar"><span>${label}</span></p>${drawPre(fence.content, language)}${shown.join('')}</div>`;
}

/** Blocks that follow each other without a word between them: each code with its answers, and the codes of one step as tabs. */
function drawCodes(fences) {
  const codes = [];
  for (const fence of fences) {
    const last = codes.at(-1);
    if (infoOf(fence).isAnswer && last !== undefined) last.answers.push(fence);
    else codes.push({ fence, answers: [] });
  }
  const drawn = codes.map(({ fence, answers }) => drawCode(fence, answers)).join('');
  const isTabbed = codes.length > 1 && codes.every(({ fence }) => tabs.has(infoOf(fence).language));
  return isTabbed ? `<div class="codes">${drawn}</div>` : drawn;
}

/** Puts blocks of code that follow each other into one token. */
function joinFences(tokens) {
  const joined = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type !== 'fence' || infoOf(token).language === 'sequence') joined.push(token);
    else if (last?.fences !== undefined) last.fences.push(token);
    else joined.push(Object.assign(token, { fences: [token] }));
  }
  return joined;
}

/** Reads pages: `linkTo(address)` says where a link of the source leads; null for what is not part of the site. */
export function openMarkdown(linkTo) {
  const md = new MarkdownIt({ html: false, linkify: false });
  const { rules } = md.renderer;
  rules.fence = (tokens, at) => (tokens[at].fences === undefined ? drawSequence(tokens[at].content) : drawCodes(tokens[at].fences));
  rules.table_open = () => '<div class="table" tabindex="0"><table>';
  rules.table_close = () => '</table></div>';
  rules.image = (tokens, at) => {
    const { content, attrs } = tokens[at];
    const address = linkTo(Object.fromEntries(attrs).src);
    return `<img src="${escapeHtml(address)}" alt="${escapeHtml(content)}" loading="lazy">`;
  };
  rules.heading_open = (tokens, at) => {
    const { tag } = tokens[at];
    return tag === 'h1' ? '<h1>' : `<${tag} id="${slugOf(textOf(tokens[at + 1]))}" tabindex="-1">`;
  };
  return (source) => {
    const tokens = joinFences(md.parse(source, {}));
    for (const token of tokens) turnLinks(token.children ?? [], linkTo);
    const headings = tokens.flatMap(({ type, tag }, at) =>
      type === 'heading_open' ? [{ level: Number(tag.slice(1)), title: textOf(tokens[at + 1]) }] : [],
    );
    return { html: md.renderer.render(tokens, md.options, {}), headings, sections: sectionsOf(tokens) };
  };
}

const textOf = ({ children }) =>
  children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');

/** A link to what is not on the site becomes its text. */
function turnLinks(tokens, linkTo) {
  let isOut = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = linkTo(token.attrGet('href'));
      isOut = address === null;
      if (isOut) Object.assign(token, { type: 'text', content: '' });
      else token.attrSet('href', address);
    } else if (token.type === 'link_close' && isOut) Object.assign(token, { type: 'text', content: '' });
  }
}

/** What search looks through: the words of each section, code left out. */
function sectionsOf(tokens) {
  const sections = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') sections.push({ title: textOf(tokens[at + 1]), level: Number(token.tag.slice(1)), text: '' });
    else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open' && sections.length > 0)
      sections.at(-1).text += `${textOf(token)} `;
  }
  return sections;
}
