// Checking what lines of the audit log say of postings: each is made again from the rows of its posting, and compared.
import { lineDigest } from '../../platform/audit-leaf.js';
import type { Database } from '../../platform/postgres/database.js';
import { storedParts } from '../spending/evidence/stored-part.sql.js';
import { linesWithPosting, otherwiseSaid, secretOf, workspacesWithLines } from './block.sql.js';

/** Lines in a step. */
const stepLines = 500;

/**
 * Compares every line that stands with a posting with the rows of that posting. Returns a sentence for each that does not say what was posted,
 * at most 100 of them. An empty list is the proof.
 */
export async function checkDocuments({ pool }: Pick<Database, 'pool'>): Promise<string[]> {
  const breaks: string[] = [];
  for (const workspaceId of await workspacesWithLines(pool)) {
    for (const { id, lineId } of await otherwiseSaid(pool, workspaceId, mostBreaks))
      breaks.push(
        lineId === null
          ? `no audit line says that the transfer ${id} was completed`
          : `the audit line ${lineId} says that the transfer ${id} was completed, which it is not`,
      );
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const lines = await linesWithPosting(pool, workspaceId, after, stepLines);
      const last = lines.at(-1);
      if (last === undefined || breaks.length >= mostBreaks) break;
      after = last.id;
      const parts = await storedParts(pool, workspaceId, lines);
      for (const line of lines) {
        const { digest, id } = line;
        const secret = secretOf(line);
        const isWhole = secret !== null && digest !== null && lineDigest(line, secret, parts.get(id)?.written).equals(digest);
        if (!isWhole) breaks.push(`the audit line ${id} (${line.action}) does not say what its posting did`);
      }
    }
  }
  return breaks.slice(0, mostBreaks);
}
const mostBreaks = 100;
