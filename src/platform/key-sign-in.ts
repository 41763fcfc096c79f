// Whether an API key signs in to the console. The tenant says so in its settings of people, which identity does not know.
import type { Platform } from './ctx.js';
import { onePart } from './extension.js';

/** Who knows how people sign in to a tenant. */
export interface KeySignIn {
  /** True where the tenant lets an API key be exchanged for a session. */
  isOpen(platform: Platform, tenantId: string): Promise<boolean>;
}

/** One context knows people. */
export const keySignIn = onePart<KeySignIn>('the sign-in with keys');
