// Prints the tables of versions into docs/protocols.md, between the marks that name their protocols.
import { readFileSync } from 'node:fs';
import { versions as ucp } from '../src/contexts/ucp/version.js';
import { revisions } from '../src/mcp/revision.js';
import type { ProtocolVersion } from '../src/platform/protocol-version.js';

const tables: Readonly<Record<string, readonly ProtocolVersion[]>> = { ucp, mcp: revisions };

function tableOf(versions: readonly ProtocolVersion[]): string {
  const rows = versions.map(({ name, since, until, schema }) => `| ${name} | ${since} | ${until ?? ''} | ${schema ?? 'none'} |`);
  return ['| version | served since | until | schema |', '|---|---|---|---|', ...rows].join('\n');
}

/** docs/protocols.md, with the tables that the code has. Throws for a protocol without its place. */
export function printProtocols(): string {
  let text = readFileSync(new URL('../docs/protocols.md', import.meta.url), 'utf8');
  for (const [name, versions] of Object.entries(tables)) {
    const place = new RegExp(`(<!-- versions: ${name} -->\n)[^]*?(\n<!-- end -->)`);
    if (!place.test(text)) throw new Error(`docs/protocols.md has no place for the versions of ${name}`);
    text = text.replace(place, (_, begin: string, end: string) => `${begin}\n${tableOf(versions)}\n${end}`);
  }
  return text;
}
