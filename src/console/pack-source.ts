// Where the public page has packs from: the link in its address, or a file.

/** A pack as it was sent: its check looks at every character. */
export interface PackText {
  text: string;
  /** What it is called when it is kept. */
  fileName: string;
}

/** Why there is no pack to show, and what to do. */
export class NoPack extends Error {
  readonly advice: string;
  /** True where the same may work in a moment. */
  readonly isPassing: boolean;

  constructor(message: string, advice: string, { isPassing = false } = {}) {
    super(message);
    this.advice = advice;
    this.isPassing = isPassing;
  }
}

const whole = /^evl_[\w-]{65}$/;
/** A server that says nothing for so long is treated as one that is away. */
const patienceMs = 30_000;

/** Asks this server for the pack of a link. The token stands in the body: it is in no address that is logged. */
export async function openLink(token: string): Promise<PackText> {
  if (!whole.test(token))
    throw new NoPack(
      'This address is not whole.',
      'A part of it was cut off or changed on its way. Copy it again from where you have it, up to its last character.',
    );
  const response = await fetch('/v1/evidence/open', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => {
    throw new NoPack('The server cannot be reached.', 'Check the connection, then try again.', { isPassing: true });
  });
  if (response.ok) return named(await response.text());
  throw refusalOf(response);
}

function refusalOf({ status, headers }: Response): NoPack {
  if (status === 404)
    return new NoPack(
      'This link shows nothing any more.',
      'It has ended, was revoked, or is of another server. Ask whoever sent it for a new one, or for the file itself: a file does not end.',
    );
  if (status === 409)
    return new NoPack(
      'The log that proves this payment is halted.',
      'It signs nothing until whoever runs the platform has looked. A file that was kept before can be checked below; else try later.',
      { isPassing: true },
    );
  if (status === 429) {
    const seconds = headers.get('Retry-After') ?? '60';
    return new NoPack('Too many links were opened from your address.', `Try again in ${seconds} seconds.`, { isPassing: true });
  }
  return new NoPack(`The server answered ${status}.`, 'Try again in a moment.', { isPassing: true });
}

/** No pack is longer, in bytes: 256 KiB, and what a changed one may have more. */
const mostBytes = 1_048_576;

/** Reads a file that was chosen or dropped. */
export async function readPackFile(file: File): Promise<PackText> {
  const advice = 'A pack ends in .evidence.json, and has at most 256 KiB.';
  if (file.size > mostBytes) throw new NoPack(`${file.name} is no pack of evidence.`, advice);
  const bytes = await file.arrayBuffer().catch(() => {
    throw new NoPack(`${file.name} cannot be read.`, 'Choose the file again: a folder is none.');
  });
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), fileName: file.name };
  } catch {
    throw new NoPack(`${file.name} is no pack of evidence.`, advice);
  }
}

/** A pack with the name that the API gives its file. */
export function named(text: string): PackText {
  const [, id = 'payment'] = /"subject":\{"id":"(tx_[\w-]{1,60})"/.exec(text) ?? [];
  return { text, fileName: `${id}.evidence.json` };
}
