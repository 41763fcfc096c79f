// The cookie that binds an authorization to the browser that began it (CONTRACT.md 22): the page of the consent opens in no other one.
import type { Ctx, Platform } from '../../platform/ctx.js';

/** Seconds for which an authorization waits for its answer. */
export const interactionSeconds = 1_800;

const nameOf = (uid: string) => `connect_${uid}` as const;

const purpose = 'connect';

/** The cookie of an authorization that begins. */
export function connectCookie(platform: Platform, issuer: string, uid: string) {
  const isHttps = issuer.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/', maxAge: interactionSeconds * 1_000, signed: false };
  return { name: `${isHttps ? '__Host-' : ''}ap_${nameOf(uid)}`, value: platform.vault.sign(purpose, uid).toString('base64url'), options };
}

/** Whether the browser that asks is the one that began the authorization. */
export function isOfBrowser({ platform, browser }: Pick<Ctx, 'platform' | 'browser'>, uid: string): boolean {
  return platform.vault.isSigned(purpose, uid, Buffer.from(browser?.cookie(nameOf(uid)) ?? '', 'base64url'));
}
