// The table of roles as docs/people.md has it, for tests that hold the platform to what it says.
import { readFileSync } from 'node:fs';

/** The rows of the table of roles, as docs/people.md has it: what each column opens. */
function tableOfRoles(): Map<string, string[]> {
  const text = readFileSync(new URL('../docs/people.md', import.meta.url), 'utf8');
  const [heading = '', , ...rows] =
    /(?:^\|.*\n)+/m
      .exec(text.slice(text.indexOf('| Resource | admin')))?.[0]
      .trim()
      .split('\n') ?? [];
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  const [, ...columns] = cells(heading);
  const held = new Map<string, string[]>(columns.map((column) => [column, []]));
  for (const row of rows) {
    const [resources = '', ...access] = cells(row);
    for (const resource of resources.replace(/ \(.*\)$/, '').split(', ')) {
      access.forEach((letter, at) => {
        if (letter === 'R' || letter === 'W') held.get(columns[at] ?? '')?.push(`${resource}:${letter === 'W' ? 'write' : 'read'}`);
      });
    }
  }
  return held;
}

/** The scopes of each column. */
export const table = tableOfRoles();

/** What the table says of a role in an environment. The row of the sandbox is about the sandbox alone. */
export function stated(role: string, environment: 'live' | 'test'): string[] {
  if (role === 'owner') return ['*'];
  const column = role === 'developer' ? `developer in ${environment === 'live' ? 'live' : 'a sandbox'}` : role;
  return (table.get(column) ?? []).filter((scope) => environment === 'test' || scope !== 'sandbox:write');
}
