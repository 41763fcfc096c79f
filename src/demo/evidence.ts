// The chapter of evidence: a payment as one file, which a program checks that knows nothing of us and reaches nobody; and what it says of a file
// in which one byte is another.
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Teller } from './teller.js';

const verifier = fileURLToPath(new URL('../../verify/dist/verify.mjs', import.meta.url));

/** Ends the program at its first connection: what it prints, it has found out by itself. */
const noNetwork = 'data:text/javascript,import net from "node:net"; net.Socket.prototype.connect = () => { process.exit(9); };';

/** Proves a payment to somebody who has the file alone. */
export async function provePayment(
  teller: Teller,
  company: string,
  { paymentId, seller }: { paymentId: string; seller: string },
): Promise<void> {
  await access(verifier).catch(() => {
    throw new Error(`${verifier} is not there: npm run build makes it`);
  });
  const answer = 'the answer that was paid for';
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(answer))).toString('hex');
  await teller.ask('B says what it delivered, as a hash', 'POST', `/v1/transfers/${paymentId}/delivery`, seller, { sha256 });
  const download = `/v1/transfers/${paymentId}/evidence`;
  const pack = await teller.ask('The company downloads what proves the payment: one file', 'GET', download, company);
  const log = await teller.ask('And reads the key of its log, to tell it to others', 'GET', '/v1/evidence', company);
  const folder = await mkdtemp(path.join(tmpdir(), 'demo-evidence-'));
  try {
    // The file is JSON as RFC 8785 spells it, and so is what JSON.stringify makes of it again.
    await checkFile(teller, folder, { text: JSON.stringify(pack), vkey: log['data'].vkeys[0].vkey });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function checkFile(teller: Teller, folder: string, { text, vkey }: { text: string; vkey: string }): Promise<void> {
  const file = path.join(folder, 'payment.evidence.json');
  const verify = async (title: string, expected: number, ...options: string[]) => {
    const shown = ['node verify.mjs payment.evidence.json', ...options].join(' ');
    const args = ['--import', noNetwork, verifier, file, ...options];
    const { code, printed } = await teller.command(title, shown, { args, folder });
    if (code !== expected) throw new Error(`the verifier ended with ${code}, not with ${expected}: ${printed}`);
  };
  await writeFile(file, text);
  await verify('Somebody checks it, with no network: whole, as the keys in the file say', 3);
  await verify('And with the key that the company has told: whole, and anchored', 0, '--key', vkey);
  await writeFile(file, withOtherByte(text));
  await verify('Somebody else changes one byte of what was paid: broken, and where', 1, '--key', vkey);
}

/** The file with one bit turned over in the part that says what was paid. */
function withOtherByte(text: string): string {
  const { leaves } = JSON.parse(text) as { leaves: { disclosures: string[] }[] };
  const parts = leaves.flatMap(({ disclosures }) => disclosures);
  const money = parts.find((part) => Buffer.from(part, 'base64url').includes('"money",{')) ?? '';
  const bytes = Buffer.from(text);
  const at = text.indexOf(money) + Math.floor(money.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString();
}
