// Where the HTTP layer asks what the cookie of a browser session stands for. Contexts answer: it knows no people itself.
import type { Trace } from './cell/directory.js';
import type { Identity } from './credential.js';
import type { Environment, Platform } from './ctx.js';
import { onePart } from './extension.js';

/** Who knows what the cookie of a browser session stands for. */
export interface BrowserSessions {
  /** What of a cookie leads to its cell, where there are several; undefined: it is of the first. */
  trace(cookie: string): Trace | undefined;
  /** Who is behind the cookie. 401 `login_expired` for one that is unknown, has ended, or is of the other environment. */
  resolve(platform: Platform, cookie: string, environment: Environment): Promise<Identity>;
  /** Whether a request carries the token of its session beside the cookie. */
  isCsrfToken(platform: Platform, loginId: string, token: string): boolean;
}

/** One context knows people. */
export const browserSessions = onePart<BrowserSessions>('browser sessions');
