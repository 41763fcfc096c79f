// What a rule may know of the browser that asks, and give it: cookies of ours. Only a few paths have one.
/** Cookies of ours: that of a browser session, and those that bind what is under way to the browser that began it. */
export type CookieName = 'session' | `connect_${string}` | `oidc_${string}`;

/** The browser of a request. */
export interface Browser {
  /** The origin of this listener, as the browser has it, without a slash at the end. */
  origin: string;
  /** True where the request says that a page of another origin has sent it. */
  isForeign: boolean;
  /** True where a page of another origin led here, as far as the browser says. */
  isLed: boolean;
  /** As it calls itself; cut at 200 characters. */
  userAgent: string | null;
  /** The cookie that it sent. */
  cookie(name: CookieName): string | undefined;
  /** Gives it a cookie for so many seconds. */
  setCookie(name: CookieName, value: string, seconds: number): void;
  /** Takes a cookie away. */
  dropCookie(name: CookieName): void;
}

const paths = /^\/(?:graphql(?:\/stream)?|v1\/login\/.*|v1\/sessions(?:\/.*)?|v1\/me(?:\/.*)?|v1\/connect\/.*)$/;

/** True for a route on which the cookie of a browser session counts. */
export function takesCookies(route: string): boolean {
  return paths.test(route);
}
