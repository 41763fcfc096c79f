// Prints docs/lifecycles.md: which status may follow which, and which requests take those steps, as the nouns of the manifest say it.
import { spendingLifecycle } from '../src/contexts/spending/freeze/kill-switch.js';
import type { Noun } from '../src/manifest/noun.js';
import type { Lifecycle } from '../src/platform/lifecycle.js';

const head = `# Lifecycles

Printed by \`npm run schema\` from the lifecycles of the nouns. A status may change to those in its row and to no other. The lines below a
table say which request leads to a status, and from where if not from everywhere. Other changes happen by themselves or with something else.
`;

export function printLifecycles(nouns: readonly Noun[]): string {
  const ofNouns = nouns.flatMap(({ table = '', lifecycle }) =>
    lifecycle === undefined ? [] : [{ title: table.replaceAll('_', ' '), lifecycle }],
  );
  // Spending is no noun: there is one of it in a workspace.
  const all = [...ofNouns, { title: 'spending', lifecycle: spendingLifecycle as Lifecycle<string> }];
  return [head, ...all.sort((one, other) => one.title.localeCompare(other.title, 'en')).map(sectionOf)].join('\n');
}

function sectionOf({ title, lifecycle: { noun, path, steps, requests } }: { title: string; lifecycle: Lifecycle<string> }): string {
  const rows = Object.entries(steps).map(([status, after]) => `| ${status} | ${after.join(', ') || '-'} |`);
  const lines = requests.map(({ to, from, method, path: below = '' }) => {
    const only = from === undefined ? '' : `, from ${from.join(' or ')}`;
    return `- ${to}: \`${method} ${path}${below}\`${only}`;
  });
  const table = ['| from | may become |', '|---|---|', ...rows, ''];
  const listed = lines.length === 0 ? [] : [...lines, ''];
  return [`## ${title.charAt(0).toUpperCase()}${title.slice(1)}`, '', `\`${path}\`, in messages "${noun}".`, '', ...table, ...listed].join(
    '\n',
  );
}
