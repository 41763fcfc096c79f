// The commands that write old entries of the audit log to a file, and check such a file.
import { createHash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type ArchiveHead, archivedSoFar, archiveLines, NotArchived, noteArchive } from '../contexts/audit/archive.js';
import { checkArchive } from '../contexts/audit/archive-file.js';
import { currentLog } from '../contexts/evidence/head.js';
import { keysOf, printKeys } from '../contexts/evidence/log-key.js';
import { type NoteKey, openCheckpoint, readVkey, sizeOfNote } from '../contexts/evidence/note.js';
import { addSeconds } from '../platform/clock.js';
import type { Ctx } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { flag, ofData, required, say, text } from './argument.js';
import { progressBar } from './progress.js';
import { environmentOf, withTenant } from './with-platform.js';

/** What was archived. */
interface Archived {
  file: string;
  first_leaf: number;
  end: number;
  sha256: string;
}

/**
 * Writes the entries that are older than RETENTION_AUDIT_DAYS to a new file, checks what is in it, and lets them leave the database.
 * @throws NotArchived where there is nothing to archive, or the log is not as it was written
 */
export async function archiveTo(ctx: Ctx, file: string, progress: (done: number) => void): Promise<Archived> {
  const from = await archivedSoFar(ctx);
  const head = await headToArchive(ctx, from?.leafIndex ?? 0n);
  let found: FileCheck;
  try {
    await writeFile(file, archiveLines(ctx, head, progress));
    // What leaves the database is what can be read from the disk, not what was meant to be written.
    found = await checkFile(file, head.note);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true });
    throw error;
  }
  try {
    await noteArchive(ctx, from, head, Buffer.from(found.sha256, 'hex'));
  } catch (error) {
    if (!(error instanceof NotArchived))
      throw new Error(`${file} is whole, but whether it was noted is not known: keep it.`, { cause: error });
    await rm(file, { force: true });
    throw error;
  }
  return { file, first_leaf: found.first_leaf, end: found.end, sha256: found.sha256 };
}

// Gap G-836: An archive ends with a signed head: what is between it and the time of RETENTION_AUDIT_DAYS waits for the next one.
/** The newest signed head of which every entry is old enough. */
async function headToArchive(ctx: Ctx, archived: bigint): Promise<ArchiveHead> {
  const { clock, config } = ctx.platform;
  const days = config.retentionAuditDays;
  if (days === null) throw new NotArchived('RETENTION_AUDIT_DAYS is not set: entries are kept for ever, and nothing is archived.');
  const log = await currentLog(ctx);
  const head = await ctx.db.evidenceHead.findFirst({
    where: { logId: log.id, checkpoint: { not: null }, at: { lt: addSeconds(clock.now(), -days * 86_400) }, treeSize: { gt: archived } },
    orderBy: { treeSize: 'desc' },
  });
  if (head?.checkpoint == null)
    throw new NotArchived(`No signed head is older than ${days} days and has entries that are not archived yet.`);
  const keys = printKeys(log, await keysOf(ctx, log)).map(({ vkey }) => vkey);
  return { size: head.treeSize, at: head.at, note: head.checkpoint, origin: log.origin, keys };
}

/** Writes JSON lines to a file that is not there yet, and flushes it and its name to the disk. */
async function writeFile(file: string, lines: AsyncIterable<object>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let held = '';
    for await (const line of lines) {
      held += `${JSON.stringify(line)}\n`;
      if (held.length < heldCharacters) continue;
      await handle.appendFile(held);
      held = '';
    }
    await handle.appendFile(held);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const folder = await open(path.dirname(file));
  await folder.sync().finally(() => folder.close());
}
const heldCharacters = 1_000_000;

/** What a check of a file says. */
interface FileCheck {
  origin: string;
  first_leaf: number;
  end: number;
  checked: number;
  erased: number;
  named_elsewhere: string[];
  sha256: string;
  /** The size of the head from elsewhere that was compared; null where none was given. */
  compared: number | null;
}

/**
 * Checks a file by itself, against the head that it ends with and one that was kept elsewhere.
 * @throws an error with a sentence for the first thing that is wrong
 */
export async function checkFile(file: string, note: string | undefined): Promise<FileCheck> {
  const size = note === undefined ? undefined : sizeOfNote(note);
  const hash = createHash('sha256');
  const bytes = (await open(file)).createReadStream();
  bytes.on('data', (chunk) => hash.update(chunk));
  const found = await checkArchive(createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY }), size).finally(() =>
    bytes.destroy(),
  );
  const { start, end, root, checked, erased, namedElsewhere } = found;
  const keys = start.keys.map(readVkey);
  const own = headIn(found.head, keys, 'The head in the file');
  if (own.treeSize !== end || !root.equals(own.root))
    throw new Error('The entries do not come to the head in the file: it was written anew.');
  if (note !== undefined) {
    const kept = headIn(note, keys, 'The head that was given');
    if (found.rootAt === undefined)
      throw new Error(
        `The head that was given has ${kept.treeSize} leaves: this file can be held against heads of more than ${start.first_leaf} and at most ${end}.`,
      );
    if (!found.rootAt.equals(kept.root))
      throw new Error(`With ${kept.treeSize} leaves the file has another root than the head that was given.`);
  }
  const { origin, first_leaf: first } = start;
  return {
    origin,
    first_leaf: Number(first),
    end: Number(end),
    checked,
    erased,
    named_elsewhere: namedElsewhere,
    sha256: hash.digest('hex'),
    compared: size === undefined ? null : Number(size),
  };
}

function headIn(note: string, keys: readonly NoteKey[], which: string) {
  const head = openCheckpoint(note, keys);
  if (head === null) throw new Error(`${which} is no checkpoint that a key of the log ${keys[0]?.origin ?? ''} has signed.`);
  return head;
}

const bar = () => progressBar((part) => void process.stderr.write(part), process.stderr.isTTY);

export const auditCommands = {
  'audit archive': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text, to: text, json: flag } });
    const file = required(values.to, 'to');
    await withTenant(values, environmentOf(values.environment ?? 'live'), async (platform, workspace) => {
      const ctx = systemCtx(platform, workspace, { action: 'audit.archive', resourceType: 'audit_log' });
      const show = bar();
      const archived = await archiveTo(ctx, file, (done) => show('Archiving', done));
      say(
        values.json
          ? JSON.stringify(archived)
          : `${archived.end - archived.first_leaf} entries are in ${file}, SHA-256 ${archived.sha256}.\nThe worker removes them from the database. Keep the file: only it can prove them.`,
      );
    });
  },
  'audit verify': async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { head: text, json: flag } });
    const file = required(positionals[0], 'FILE').toString();
    const note = values.head === undefined ? undefined : await readFile(values.head, 'utf8');
    const found = await checkFile(file, note);
    if (values.json) return say(JSON.stringify(found));
    const { first_leaf: first, end, checked, erased, named_elsewhere: elsewhere, compared, origin } = found;
    say(`${checked} entries are as they were written: leaves ${first} to ${end - 1} of ${origin}.`);
    if (erased > 0) say(`The content of ${erased} of them was erased.`);
    if (elsewhere.length > 0) say(`Erasures that are not in this file, but in a later one or in the log: ${elsewhere.join(', ')}`);
    say(
      compared === null
        ? 'They were held against the head in the file alone: give one that was kept elsewhere as --head.'
        : `The head with ${compared} leaves is a head of them.`,
    );
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;
