// What an endpoint is asked, and which answers prove it (CONTRACT.md 29 on 16). A challenge is new each time and stored nowhere.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../platform/crypto.js';

// Gap G-409: A challenge is `<random>.<mac>` with an HMAC-SHA256 under the secret, in an unsigned request that is no event.
/**
 * A new challenge: `<random>.<mac>`. The request is not signed, so the mac lets whoever knows the secret tell the challenges of his own
 * subscription from those of a stranger's.
 */
export function newChallenge(...secrets: readonly [string, ...string[]]): string {
  const random = randomBytes(24).toString('base64url');
  const macs = secrets.map((secret) => createHmac('sha256', secret).update(`challenge.${random}`).digest('hex'));
  return [random, ...macs].join('.');
}

/**
 * True when an answer is `{"challenge": …}` and nothing else, or the bare text. A body that is sent back whole has more in it, so an echo
 * proves nothing.
 */
export function answersChallenge(challenge: string, body: string): boolean {
  // Hashes have one length, so that the time tells nothing.
  return timingSafeEqual(sha256(answerIn(body.trim())), sha256(challenge));
}

function answerIn(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const said: Record<string, unknown> = JSON.parse(text);
    const members = Object.keys(said);
    return members.length === 1 && typeof said['challenge'] === 'string' ? said['challenge'] : '';
  } catch {
    return '';
  }
}
