// Links that let somebody in: their token stands behind `#`, where no server sees it before the page sends it.

import { listeningOrigin } from '../../platform/authority.js';
import type { Trace } from '../../platform/cell/directory.js';
import { markOf, newMarkedToken } from '../../platform/cell/mark.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { hasMail } from '../../platform/outbound/mailer.js';

/** A new link, and the hash that is kept of its token. */
export interface NewLink {
  link: string;
  hash: Buffer<ArrayBuffer>;
}

/** Where people find the console: as the browser that asks has it, else the address of the environment. */
export function originOf({ browser, workspace, platform: { config } }: Pick<Ctx, 'browser' | 'workspace' | 'platform'>): string {
  if (browser !== undefined) return browser.origin;
  const [url, port] = workspace.environment === 'live' ? [config.baseUrl, config.port] : [config.sandboxUrl, config.sandboxPort];
  return url?.replace(/\/+$/, '') ?? listeningOrigin(config.host, port);
}

/** A link to the page on which somebody joins or is recovered. */
export function newLink(ctx: Ctx, prefix: 'join_' | 'recover_'): NewLink {
  const token = newMarkedToken(prefix, ctx.workspace.id);
  return { link: `${originOf(ctx)}/console/join#${token}`, hash: sha256(token) };
}

/** A link as it is taken up: the hash of its token, and where that leads. */
export interface ShownLink {
  hash: Buffer<ArrayBuffer>;
  trace: Trace | undefined;
}

/** The link with a token. */
export function shownLink(token: string): ShownLink {
  const [prefix = ''] = /^[a-z]+_/.exec(token) ?? [];
  return { hash: sha256(token), trace: markOf(token, prefix) };
}

/** Whether a link is in the answer: where no mail carries it, and at the command line. */
export function isShown({ actor, platform }: Pick<Ctx, 'actor' | 'platform'>): boolean {
  return actor.type === 'system' || !hasMail(platform);
}
