// What a key opens in a dump, whoever has it: every binary value of every table is tried, without a look at where it stands.
import { createDecipheriv } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const headBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
/** Fewer bytes may look like a text by chance. */
const fewestBytes = 20;

/** What stands there without its tag: the counter mode of AES-GCM, which begins at 2. Who has the key needs no row and no tag. */
function decrypted(key: Buffer, value: Buffer, at: number): Buffer {
  const counter = Buffer.concat([value.subarray(at, at + nonceBytes), Buffer.from([0, 0, 0, 2])]);
  const decipher = createDecipheriv('aes-256-ctr', key, counter);
  return Buffer.concat([decipher.update(value.subarray(at + nonceBytes + tagBytes)), decipher.final()]);
}

const isText = (bytes: Buffer): boolean => bytes.length >= fewestBytes && bytes.every((byte) => byte >= 0x20 && byte < 0x7f);

/**
 * How many values of a plain dump each key opens, by the table: those that come to a text, and those that come to one of `secrets`, which are
 * keys themselves.
 */
export async function openedInDump(
  file: string,
  keys: Readonly<Record<string, Buffer>>,
  secrets: readonly Buffer[],
): Promise<Record<string, Record<string, number>>> {
  const found: Record<string, Record<string, number>> = Object.fromEntries(Object.keys(keys).map((name) => [name, {}]));
  const tried = Object.entries(keys);
  let table = '';
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    table = /^COPY public\.(\w+) /.exec(line)?.[1] ?? table;
    for (const [, hex = ''] of line.matchAll(/\\\\x((?:[0-9a-f]{2}){29,})/g)) {
      const value = Buffer.from(hex, 'hex');
      for (const [name, key] of tried) {
        const opens = [0, headBytes].some((at) => {
          if (value.length <= at + nonceBytes + tagBytes) return false;
          const bytes = decrypted(key, value, at);
          return isText(bytes) || secrets.some((secret) => secret.equals(bytes));
        });
        const own = found[name] ?? {};
        if (opens) own[table] = (own[table] ?? 0) + 1;
      }
    }
  }
  return found;
}
