// Prints src/generated/id-kind.ts: the kinds of ids, as nouns declare them. The code that prints and parses ids needs their prefixes before
// any noun is loaded, and its types need their names, so the declarations are read from the sources.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** `id: { ... }` where defineNoun() begins, which may have one object inside. */
const declaration = /defineNoun\(\{\s*id: (\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\})/g;

/** The value of a literal of strings and of objects of them. */
function readLiteral(literal) {
  return JSON.parse(
    literal
      .replace(/(\w+):/g, '"$1":')
      .replaceAll("'", '"')
      .replace(/,\s*\}/g, ' }'),
  );
}

/** The declarations of a noun.ts, in their order. */
function declarationsIn(file) {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(declaration)].map(([, literal]) => readLiteral(literal));
  if (found.length !== text.split('defineNoun(').length - 1) throw new Error(`${file}: defineNoun() begins with its id, a literal`);
  return found;
}

/** `AccountId` of `account`. */
const scalarOf = (kind) => `${kind[0].toUpperCase()}${kind.slice(1)}Id`;

/**
 * The text of src/generated/id-kind.ts for the nouns below `contexts`. Scalars keep the order that they have in `schema`, the committed one, so
 * that a new noun adds a line and moves none.
 */
export function printIdKinds(contexts, schema) {
  const files = readdirSync(contexts, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const declared = files
    .map(({ name }) => path.join(contexts, name, 'noun.ts'))
    .flatMap((file) => {
      try {
        return declarationsIn(file);
      } catch (error) {
        if (error.code === 'ENOENT') return [];
        throw error;
      }
    });
  const seen = new Set();
  const kinds = declared.map(({ kind, prefix, wire, scalars = wire === undefined ? {} : { [scalarOf(kind)]: wire } }) => {
    for (const name of [kind, `${prefix}_`]) {
      if (seen.has(name)) throw new Error(`two nouns have ids of the kind or prefix ${name}`);
      seen.add(name);
    }
    const [scalar] = Object.keys(scalars);
    const at = schema.indexOf(`\nscalar ${scalar}\n`);
    return { place: at < 0 ? schema.length : at, line: `  ${kind}: ${JSON.stringify({ prefix, scalars })},` };
  });
  const lines = kinds.sort((a, b) => a.place - b.place).map(({ line }) => line);
  return `// Printed by scripts/id-kinds.mjs from the nouns of src/contexts.\nexport const idKinds = {\n${lines.join('\n')}\n} as const;\n`;
}
