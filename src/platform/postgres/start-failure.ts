// Why the embedded PostgreSQL cannot be used, for the person who starts it: a full disk, damaged files, or what else it said. PostgreSQL's own
// hints ("you may need to initdb") would lose the data.
import { statfs } from 'node:fs/promises';
import path from 'node:path';

/** Where the data of a server is. */
export interface DataPlace {
  /** The folder of the database. */
  place: string;
  log: string;
}

const diskIsFull = /no space left on device|ENOSPC|EDQUOT|disk quota exceeded|\b53100\b/i;
const isDamaged = new RegExp(
  [
    'PANIC:',
    'could not (open|read|access|stat|locate|find) (file|directory|a valid|required|my)',
    'could not (access status|read block|read two-phase)',
    'invalid (page|primary checkpoint|checkpoint|record|magic|data in file|contents)',
    'incorrect checksum|checksum mismatch|is corrupted|corrupted|unexpected (data|end of)',
    'not a (valid|database) (data directory|cluster)|is missing|does not look like|not a valid data directory',
    'database files are incompatible|byte ordering|bogus data|does not exist in the control file|pg_control',
    'cache lookup failed|could not open relation|missing chunk|catalog is missing|pg_filenode\\.map|\\bXX00[012]\\b|\\b58P0[12]\\b',
  ].join('|'),
  'i',
);

/** What stops a start, in words for the person who started it. */
export class StartFailure extends Error {}

/** Everything that an error and its causes say. */
function wordsOf(error: unknown): string {
  const said: string[] = [];
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { message, stderr, code } = at as { message?: string; stderr?: string; code?: string };
    said.push(...[message, stderr, code].filter((text) => typeof text === 'string'));
  }
  return said.join('\n');
}

/** The first line in which PostgreSQL names the fault, without its time and its advice. */
function faultIn(words: string): string {
  const lines = words.split('\n').filter((line) => !/\b(HINT|DETAIL|LOG|CONTEXT|STATEMENT):/.test(line));
  const line = lines.find((each) => /\b(PANIC|FATAL|ERROR):/.test(each)) ?? lines.find((each) => isDamaged.test(each)) ?? lines[0] ?? '';
  return line
    .replace(/^.*?\b(PANIC|FATAL|ERROR): +/, '')
    .replace(/^but /, '')
    .trim()
    .replace(/\.$/, '');
}

const megabytesFree = (folder: string): Promise<number> =>
  statfs(folder).then(
    ({ bavail, bsize }) => Math.floor((bavail * bsize) / 1_048_576),
    () => 0,
  );

/** What a full disk means, and what to do. */
async function diskFull(folder: string, cause: unknown): Promise<StartFailure> {
  return new StartFailure(
    `The disk that holds ${folder} is full (${await megabytesFree(folder)} MB are free): the database cannot be written. Nothing that was committed is lost.\n` +
      'Free some space there, or set DATA_DIR to a folder on another disk, and start again.',
    { cause },
  );
}

/** What damaged files mean: what was found, where the files are, and how to restore. */
export function damaged({ place, log }: DataPlace, fault: string, cause?: unknown): StartFailure {
  return new StartFailure(
    `The database in ${place} is damaged: ${fault}.\n` +
      `Its files are in ${place}; what the server said is in ${log}. Do not delete them: parts may be recovered.\n` +
      `To restore: move ${path.dirname(place)} away, put your last backup of it in its place, and start again ` +
      '(docs/operations.md, "Backup and restore"). Without a backup, set DATA_DIR to a new folder: it begins with no data.',
    { cause },
  );
}

/** What a server said before it ended, as a person is told it. */
export async function startFailure(said: unknown, at: DataPlace): Promise<StartFailure> {
  const found = await explained(said, at);
  if (found instanceof StartFailure) return found;
  const fault = faultIn(wordsOf(said));
  // A server that cannot write its log says nothing.
  if (fault === '' && (await megabytesFree(path.dirname(at.place))) === 0) return diskFull(path.dirname(at.place), said);
  return new StartFailure(`PostgreSQL does not start: ${fault || 'it ended without a word'}. What it said is in ${at.log}.`, {
    cause: said,
  });
}

/** An error while the data is opened: a full disk and damaged files in our own words, any other as it is. */
export async function explained(error: unknown, at: DataPlace): Promise<unknown> {
  if (error instanceof StartFailure) return error;
  const words = wordsOf(error);
  if (diskIsFull.test(words)) return diskFull(path.dirname(at.place), error);
  return isDamaged.test(words) ? damaged(at, faultIn(words), error) : error;
}
