// Entity tags (RFC 9110, 8.8.3): what an answer is known by, so that a reader who has it asks only whether it still counts.
import { hash } from 'node:crypto';

/** The tag of a text: strong where its bytes are the answer. */
export function entityTag(text: string): string {
  return `"${hash('sha256', text, 'hex').slice(0, 32)}"`;
}

/** The tag of an answer that says the same as another one in other bytes, such as one that is signed anew each time. */
export function weakTag(text: string): string {
  return `W/${entityTag(text)}`;
}

/** True when an `If-None-Match` field names `tag`, compared weakly; `*` names every one. */
export function namesTag(ifNoneMatch: string, tag: string): boolean {
  const bare = (one: string) => one.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || bare(one) === bare(tag));
}
