// Sessions of MCP over HTTP. A session is a name that the platform has signed and keeps nothing of: any process takes it, also after a
// restart. It belongs to one actor and ends after a day; what it may do is asked of the credential of each request.
import { randomBytes } from 'node:crypto';
import { addSeconds } from '../platform/clock.js';
import { sha256 } from '../platform/crypto.js';
import type { Ctx } from '../platform/ctx.js';
import { declareError, invalidRequest } from '../platform/errors.js';

// Gap G-387: An MCP session is a signed name for its actor, lasts a day, and nothing is stored; any other is 404.
/** As long as an Idempotency-Key is kept: the calls of a session are named by it. */
const lifetimeSeconds = 86_400;

/** 404: the client has to initialize again, as MCP has it. */
class SessionNotFound extends declareError(404, 'not_found') {
  constructor() {
    super('There is no such session, or it has ended: initialize again.');
  }
}

/** The id of a new session of the actor. */
export function newSession(ctx: Ctx): string {
  const ends = Math.floor(addSeconds(ctx.platform.clock.now(), lifetimeSeconds).getTime() / 1000);
  const name = `${ends}.${randomBytes(12).toString('base64url')}`;
  return `${name}.${seal(ctx, name).toString('base64url')}`;
}

/** 400 without a session, 404 for one that has ended or is another actor's. */
export function checkSession(ctx: Ctx, id: string): void {
  if (id === '') throw invalidRequest('Send the Mcp-Session-Id that the answer to initialize had.', 'session');
  const [, name, ends, given = ''] = /^((\d{1,12})\.[\w-]{16})\.([\w-]{22})$/.exec(id) ?? [];
  if (name === undefined) throw new SessionNotFound();
  const isOurs = ctx.platform.vault.isSigned(purpose, sealedText(ctx, name), Buffer.from(given, 'base64url'));
  if (!isOurs || Number(ends) * 1000 <= ctx.platform.clock.now().getTime()) throw new SessionNotFound();
}

/** The Idempotency-Key of a call that names none: the same JSON-RPC id in the same session is the same call. */
export function keyOfCall(session: string, id: string | number): string {
  return `mcp:${sha256(`${session}\n${typeof id}\n${id}`).toString('base64url')}`;
}

const purpose = 'mcp session';

function seal(ctx: Ctx, name: string): Buffer {
  return ctx.platform.vault.sign(purpose, sealedText(ctx, name));
}

function sealedText({ workspace, actor }: Ctx, name: string): string {
  return [workspace.id, actor.type, actor.id, name].join('\n');
}
