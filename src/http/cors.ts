// Which web pages of other origins may call the platform from a browser (CORS). Credentials are headers and never cookies, so a page can
// do no more than whoever gave it its token.
import cors from '@koa/cors';
import type { Handler } from './state.js';

/** Chromium keeps the answer to a preflight no longer. */
const preflightSeconds = 7_200;

/** True for a page that may call. */
export function admitsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.includes('*') || origins.includes(origin);
}

/** Answers the preflights of `origins`, and lets their pages read every answer. `*` is any origin; no origin: undefined. */
export function allowOrigins(origins: readonly string[]): Handler | undefined {
  if (origins.length === 0) return undefined;
  return cors({
    origin: ({ req }) => {
      const { origin = '' } = req.headers;
      return admitsOrigin(origins, origin) ? origin : '';
    },
    exposeHeaders: '*',
    maxAge: preflightSeconds,
  }) as unknown as Handler;
}
