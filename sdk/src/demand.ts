// What a 402 asks for, where the platform can pay it: the ledger's offer of x402 (version 2), or an MPP challenge of the method `ledger`.
import { asRecord } from './error.js';

/** An x402 demand: what the seller said, and what of its offers is on a ledger, one at least. */
export interface X402Demand {
  protocol: 'x402';
  required: Record<string, unknown>;
  offers: Record<string, unknown>[];
}

/** An MPP demand: the header, its challenge, and what it costs in major units. */
export interface MppDemand {
  protocol: 'mpp';
  header: string;
  challenge: Record<string, string>;
  amount: string;
  currency: string;
  /** The wallet that is paid. */
  recipient: string | undefined;
}

/** The demand of a 402; undefined where it asks for nothing that the platform can pay. x402 comes first: its price is asked for again. */
export async function demandIn(answer: Response): Promise<X402Demand | MppDemand | undefined> {
  return (await x402In(answer)) ?? mppIn(answer.headers.get('WWW-Authenticate') ?? '');
}

async function x402In(answer: Response): Promise<X402Demand | undefined> {
  const header = answer.headers.get('PAYMENT-REQUIRED');
  const required = asRecord(parse(header === null ? await answer.clone().text() : decode(header)));
  if (required['x402Version'] !== 2 || !Array.isArray(required['accepts'])) return undefined;
  const offers = required['accepts'].map(asRecord).filter(({ network }) => typeof network === 'string' && network.startsWith('ledger:'));
  return offers.length === 0 ? undefined : { protocol: 'x402', required, offers };
}

function mppIn(header: string): MppDemand | undefined {
  for (const challenge of challengesIn(header)) {
    const { amount, currency, recipient, methodDetails } = asRecord(parse(decode(challenge['request'] ?? '')));
    const { decimals } = asRecord(methodDetails);
    if (challenge['method'] !== 'ledger' || challenge['intent'] !== 'charge') continue;
    if (typeof amount !== 'string' || !/^\d{1,26}$/.test(amount) || typeof currency !== 'string' || !isScale(decimals)) continue;
    const payee = typeof recipient === 'string' ? recipient : undefined;
    return {
      protocol: 'mpp',
      header,
      challenge,
      amount: majorOf(BigInt(amount), decimals),
      currency: currency.toUpperCase(),
      recipient: payee,
    };
  }
  return undefined;
}

/** A member of a challenge, or what begins the next one. */
const piece = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))|([\w-]+)/g;

/** The challenges of the scheme Payment in a WWW-Authenticate header, which may hold several in a line, of any scheme. */
function challengesIn(header: string): Record<string, string>[] {
  const found: { scheme: string; members: Record<string, string> }[] = [];
  for (const [, name = '', quoted, token = '', scheme] of header.matchAll(piece)) {
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), members: {} });
    else Object.assign(found.at(-1)?.members ?? {}, { [name.toLowerCase()]: quoted?.replace(/\\(.)/g, '$1') ?? token });
  }
  return found.filter(({ scheme }) => scheme === 'payment').map(({ members }) => members);
}

const isScale = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 8;

/** The decimals that every amount fits into. */
const scale = 8;

/** An amount such as 0.0035 as an integer, so that sums are exact. Throws RangeError for what is none. */
export function unitsOf(amount: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d{1,18})(?:\.(\d{1,8}))?$/.exec(amount) ?? [];
  if (whole === '') throw new RangeError(`${amount} is not an amount such as 0.50.`);
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** Units with so many decimals, as the platform spells amounts: with two of them at least. */
export function majorOf(units: bigint, decimals: number = scale): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** JSON in base64, of either alphabet, as header fields carry it. */
export function encode(value: unknown, alphabet: 'base64' | 'base64url'): string {
  const text = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  return alphabet === 'base64' ? text : text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
