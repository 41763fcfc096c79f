// A flow as a picture: the lines of a block `sequence`, drawn as SVG whose colours are those of the page.
//   Agent -> Seller: GET /weather     an arrow, with what is sent
//   Agent --> Seller: 200             the same, dashed: an answer
//   Agent: signs                      what somebody does alone
import { escapeHtml } from './highlight.mjs';

const [column, row, top] = [190, 44, 64];
const letter = 7.2;

/** The lines of the block as steps. */
function stepsOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const step = /^(.+?)(?: (-->|->) (.+?))?: (.+)$/.exec(line);
      if (step === null) throw new Error(`a line of a sequence is not "A -> B: what": ${line}`);
      const [, from, arrow, to = from, label] = step;
      return { from, to, label, isAnswer: arrow === '-->' };
    });
}

/** How far two columns are apart, so that the labels between them fit. */
function positionsOf(names, steps) {
  const gaps = names.slice(1).map((_, i) => {
    const between = steps.filter(({ from, to }) => {
      const ends = [names.indexOf(from), names.indexOf(to)].sort((a, b) => a - b);
      return ends[0] === i && ends[1] === i + 1;
    });
    return Math.max(column - 40, ...between.map(({ label }) => label.length * letter + 24));
  });
  const positions = new Map();
  let x = 80;
  for (const [i, name] of names.entries()) {
    positions.set(name, x);
    x += gaps[i] ?? 0;
  }
  const alone = steps.filter(({ from, to }) => from === to).map(({ from, label }) => positions.get(from) + 14 + label.length * letter);
  return { positions, width: Math.ceil(Math.max(x + 80, ...alone)) };
}

function drawStep({ from, to, label, isAnswer }, y, positions) {
  const [a, b] = [positions.get(from), positions.get(to)];
  const said = escapeHtml(label);
  if (a === b) return `<circle class="dot" cx="${a}" cy="${y}" r="4"/><text x="${a + 12}" y="${y + 4}">${said}</text>`;
  const way = b > a ? 1 : -1;
  const head = `M${b} ${y}l${-8 * way} -4v8z`;
  return `<path class="line${isAnswer ? ' dashed' : ''}" d="M${a} ${y}H${b - 7 * way}"/><path class="head" d="${head}"/><text class="middle" x="${(a + b) / 2}" y="${y - 7}">${said}</text>`;
}

/** The block as SVG. Whoever does not see it hears its lines. */
export function drawSequence(text) {
  const steps = stepsOf(text);
  const names = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  const { positions, width } = positionsOf(names, steps);
  const height = top + steps.length * row + 8;
  const columns = names.map((name) => {
    const x = positions.get(name);
    const half = Math.max(44, (name.length * 8 + 20) / 2);
    return `<path class="life" d="M${x} 40V${height - 8}"/><rect class="box" x="${x - half}" y="8" width="${half * 2}" height="32" rx="6"/><text class="middle name" x="${x}" y="29">${escapeHtml(name)}</text>`;
  });
  const drawn = steps.map((step, i) => drawStep(step, top + 16 + i * row, positions));
  const told = escapeHtml(
    steps.map(({ from, to, label }) => (from === to ? `${from}: ${label}` : `${from} to ${to}: ${label}`)).join('. '),
  );
  return `<figure class="flow" tabindex="0"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${told}">${columns.join('')}${drawn.join('')}</svg></figure>`;
}
