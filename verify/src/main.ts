// The command: agent-payments-verify PACK [--key VKEY|FILE] [--head FILE]... [--jwks FILE] [--json], and ... heads OLD NEW --proof FILE --key VKEY.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fromBase64 } from './bytes.js';
import type { Json } from './json.js';
import { listIn, member } from './json.js';
import { tell } from './story.js';
import { compareHeads, type Trust, type Verdict, verifyPack } from './verify.js';

const usage = `agent-payments-verify PACK [options]
  Checks a pack of evidence of a payment. Nothing is asked of anybody: it runs offline.
  --key VKEY|FILE   a key of the log that you know
  --head FILE       a checkpoint that you have kept; may stand more than once
  --jwks FILE       the JWK Set of the platform that you know
  --json            print what was found as JSON
agent-payments-verify heads OLD NEW --proof FILE --key VKEY|FILE
  Checks that one head follows from another, by the answer of GET /v1/evidence/consistency.
Exit: 0 whole, and anchored in a key or head that you gave; 3 whole, by the pack's own keys; 1 broken; 2 unreadable.`;

const exits = { anchored: 0, own: 3, broken: 1, unreadable: 2 } as const;

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true, default: [] },
      head: { type: 'string', multiple: true, default: [] },
      jwks: { type: 'string' },
      proof: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [first, ...rest] = positionals;
  if (values.help || first === undefined) {
    process.stdout.write(`${usage}\n`);
    return values.help ? 0 : 2;
  }
  const vkeys = values.key.map(readKeyText);
  if (first === 'heads') return heads(rest, values.proof, vkeys[0]);
  const trust: Trust = {
    vkeys,
    heads: values.head.map(readText),
    ...(values.jwks !== undefined && { jwks: JSON.parse(readText(values.jwks)) as Json }),
  };
  const verdict = verifyPack(readText(first), trust);
  process.stdout.write(`${values.json ? JSON.stringify(summary(verdict)) : say(verdict)}\n`);
  return exits[verdict.outcome];
}

function heads([earlier, later]: readonly string[], proof: string | undefined, vkey: string | undefined): number {
  if (earlier === undefined || later === undefined || proof === undefined || vkey === undefined) throw new Error('heads takes OLD, NEW, --proof and --key');
  const answer = JSON.parse(readText(proof)) as Json;
  const hashes = listIn(member(answer, 'data') ?? answer, 'proof').map((text) => fromBase64(text) ?? new Uint8Array());
  const follows = compareHeads(readText(earlier), readText(later), hashes, vkey);
  process.stdout.write(follows ? 'The later head follows from the earlier one.\n' : 'BROKEN: the later head does not follow from the earlier one.\n');
  return follows ? 0 : 1;
}

/** A key, or the file that it stands in. */
function readKeyText(given: string): string {
  return given.includes('+') && !given.includes('\n') && given.split('+').length >= 3 ? given : readText(given).trim();
}

function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
}

function say(verdict: Verdict): string {
  if (verdict.outcome === 'unreadable') return `UNREADABLE: ${verdict.message}.`;
  if (verdict.outcome === 'broken') return `BROKEN at ${verdict.leg}: ${verdict.message}.`;
  return [`WHOLE: ${verdict.checked.join(', ')} hold.`, ...tell(verdict)].join('\n');
}

function summary(verdict: Verdict): object {
  if (verdict.outcome === 'unreadable' || verdict.outcome === 'broken') return verdict;
  const { outcome, pack, head, paid, checked } = verdict;
  return {
    outcome,
    transfer_id: pack.transferId,
    origin: head.origin,
    tree_size: String(head.size),
    leaf_index: String(paid.leaf.index),
    checked,
    story: tell(verdict),
  };
}

try {
  process.exitCode = main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\nTry agent-payments-verify --help.\n`);
  process.exitCode = 2;
}
