// Prints docs/spec-gaps.md: what the code chooses where the specification is silent, as its comments say it. Such a comment is one line,
// `Gap G-nn: <the choice>.`, at the place where the choice is made.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['src', 'prisma/functions', 'sdk/src'];
const line = /^\s*(?:\/\/|--|\/\*\*|\*) Gap (G-\d+): (.+?)(?: \*\/)?$/gm;

const head = `# Where the specification is silent

Printed by \`npm run schema\` from the comments \`Gap G-nn: ...\` in the code. Each of them says, at the place where it is made, what we chose
where the specification says nothing. Other places that depend on it say \`see G-nn\`. A number is given once, and not again when its gap goes.
`;

interface Gap {
  id: string;
  choice: string;
  file: string;
}

/** All gaps, by their numbers. */
function gaps(): Gap[] {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.posix.join(folder, name)),
    )
    .filter((file) => /\.(tsx?|sql)$/.test(file) && !file.startsWith('src/generated/'))
    .flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(line)].map(([, id = '', choice = '']) => ({ id, choice, file })),
    )
    .sort((one, other) => numberOf(one) - numberOf(other));
}

const numberOf = ({ id }: Gap): number => Number(id.slice('G-'.length));

/** A context, or another folder of one floor. */
const folderOf = ({ file }: Gap): string =>
  /^src\/contexts\/[^/]+|^prisma\/functions|^sdk\/src|^src\/[^/]+(?=\/)|^src/.exec(file)?.[0] ?? '';

export function printGaps(): string {
  const all = gaps();
  const titles = [...new Set(all.map(folderOf))].sort((one, other) => one.localeCompare(other, 'en'));
  return [
    head,
    ...titles.map((title) =>
      sectionOf(
        title,
        all.filter((gap) => folderOf(gap) === title),
      ),
    ),
  ].join('\n');
}

function sectionOf(title: string, found: readonly Gap[]): string {
  const rows = found.map(
    ({ id, choice, file }) => `| ${id} | ${choice.replaceAll('|', '\\|')} | [${file.slice(title.length + 1)}](../${file}) |`,
  );
  return [`## ${title}`, '', '| id | we chose | file |', '|---|---|---|', ...rows, ''].join('\n');
}
