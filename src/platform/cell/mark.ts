// Tokens that say where they belong: those of sessions, which are made too often to be listed in the directory, and of links. Such a token has
// its workspace before its random part. It tells its holder nothing that a request would not.
import { newToken } from '../crypto.js';
import type { Platform } from '../ctx.js';
import type { Trace } from './directory.js';

/** Characters of 16 and of 32 bytes in base64url. */
const [markLength, randomLength] = [22, 43];

/** A new token of a workspace: as `newToken` makes it where there is one cell. */
export function newTokenIn({ cells }: Pick<Platform, 'cells'>, prefix: string, workspaceId: string): string {
  return cells.only !== undefined ? newToken(prefix) : newMarkedToken(prefix, workspaceId);
}

/** A new token that says its workspace, however many cells there are: it is good also where the tenant will have moved. */
export function newMarkedToken(prefix: string, workspaceId: string): string {
  return newToken(prefix + Buffer.from(workspaceId.replaceAll('-', ''), 'hex').toString('base64url'));
}

/** Where a token leads by its mark; undefined without one. */
export function markOf(token: string, prefix: string): Trace | undefined {
  if (token.length !== prefix.length + markLength + randomLength) return undefined;
  const hex = Buffer.from(token.slice(prefix.length, prefix.length + markLength), 'base64url').toString('hex');
  if (hex.length !== 32) return undefined;
  return { workspaceId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
}
