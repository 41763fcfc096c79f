// Passwords: what is taken as one, and how it is kept: as a PHC string of scrypt (decision 0075).
import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../../platform/ctx.js';
import { Overloaded, ValidationFailed } from '../../platform/errors.js';
import { emailKeyOf } from './email.js';
import { isCommon } from './frequent-password.js';

/** What a hash is computed with. */
interface Work {
  /** The base-2 logarithm of N. */
  ln: number;
  r: number;
  p: number;
  salt: Buffer;
}

const current = { ln: 15, r: 8, p: 3 };
const hashBytes = 32;
const maxmem = 64 * 1024 * 1024;

/** Characters of a password. */
export const shortestPassword = 12;
export const longestPassword = 1_024;

const normal = (password: string): string => password.normalize('NFKC');

/** 400 for a password that is too short, too long, among the commonest, or the name or the e-mail of its owner. */
export function checkPassword(password: string, { name, email }: { name: string; email: string }, path = 'password'): void {
  const refuse = (message: string, rule: string): never => {
    throw new ValidationFailed([{ path: [path], message, rule }]);
  };
  const text = normal(password);
  const { length } = [...text];
  if (length < shortestPassword) refuse(`must have at least ${shortestPassword} characters`, 'min');
  if (length > longestPassword) refuse(`must have at most ${longestPassword} characters`, 'max');
  const plain = text.trim().toLowerCase();
  const known = [normal(name).trim().toLowerCase(), emailKeyOf(email), emailKeyOf(email).split('@')[0]];
  if (known.includes(plain)) refuse('must not be your name or your e-mail', 'personal');
  if (isCommon(plain)) refuse('is one of the first that anybody would guess', 'common');
}

/** How many hashes are computed at once, and how long the next one waits for its turn. */
const mostAtOnce = 4;
const patienceMs = 2_000;

interface Queue {
  running: number;
  waiting: (() => void)[];
}

const queues = new WeakMap<Platform, Queue>();

function queueOf(platform: Platform): Queue {
  const queue = queues.get(platform) ?? { running: 0, waiting: [] };
  queues.set(platform, queue);
  return queue;
}

/** Waits for a turn. 503 `overloaded` after two seconds. */
function turn(queue: Queue): Promise<void> {
  if (queue.running < mostAtOnce) {
    queue.running += 1;
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(begin), 1);
      reject(new Overloaded('Too many people are signing in right now. Try again in a second.'));
    }, patienceMs);
    queue.waiting.push(begin);
  });
}

async function compute(platform: Platform, password: string, { ln, r, p, salt }: Work): Promise<Buffer> {
  const queue = queueOf(platform);
  await turn(queue);
  try {
    return await new Promise((resolve, reject) => {
      scrypt(normal(password), salt, hashBytes, { N: 2 ** ln, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    // Whoever waits takes the place over.
    const next = queue.waiting.shift();
    if (next === undefined) queue.running -= 1;
    else next();
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const phcPattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function readPhc(phc: string): Work & { hash: Buffer } {
  const [, ln, r, p, salt = '', hash = ''] = phcPattern.exec(phc) ?? [];
  if (ln === undefined) throw new Error('a stored password is no PHC string of scrypt');
  return { ln: Number(ln), r: Number(r), p: Number(p), salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/**
 * What the passwords of an e-mail are salted with. All tenants in which somebody has this e-mail have the same, so one computation tells in
 * which of them a password is right, and an unknown e-mail takes exactly the same work.
 */
function saltOf({ vault }: Platform, email: string): Buffer {
  return vault.nameOf('password salt', emailKeyOf(email));
}

/** The PHC string of a password of somebody with this e-mail. */
export async function hashPassword(platform: Platform, email: string, password: string): Promise<string> {
  const work = { ...current, salt: saltOf(platform, email) };
  const hash = await compute(platform, password, work);
  return `$scrypt$ln=${work.ln},r=${work.r},p=${work.p}$${base64(work.salt)}$${base64(hash)}`;
}

/** What `matchPassword` finds: the stored strings that fit, and the string that stands for the password now. */
export interface PasswordMatch {
  fitting: ReadonlySet<string>;
  phc: string;
}

/**
 * Which of the PHC strings stored for an e-mail are of this password. The work is that of one hash, for an unknown e-mail too; strings of
 * older parameters cost their own beside.
 */
export async function matchPassword(
  platform: Platform,
  email: string,
  password: string,
  stored: readonly string[],
): Promise<PasswordMatch> {
  const phc = await hashPassword(platform, email, password);
  const now = readPhc(phc);
  const fitting = new Set<string>();
  for (const one of stored) {
    const { hash, ...work } = readPhc(one);
    const isCurrent = work.ln === now.ln && work.r === now.r && work.p === now.p && work.salt.equals(now.salt);
    const computed = isCurrent ? now.hash : await compute(platform, password, work);
    if (computed.length === hash.length && timingSafeEqual(computed, hash)) fitting.add(one);
  }
  return { fitting, phc };
}
