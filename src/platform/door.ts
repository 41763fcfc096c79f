// A door: an endpoint of a protocol's own wire, which is no routed operation (ARCHITECTURE.md 3). It contains no rule:
// it hands what came in to one, and says for openapi.json what that is.
import type { z } from 'zod';
import type { Environment, Platform } from './ctx.js';

/** What came to a door. */
export interface Knock {
  environment: Environment;
  params: Readonly<Record<string, string>>;
  /** The value of the door's header; empty without one. */
  header: string;
  /** The bytes of the body, at most 256 KiB. */
  raw: Uint8Array;
}

export interface Door {
  /** Its operationId. */
  id: string;
  method: 'POST';
  path: string;
  tag: string;
  summary: string;
  description: string;
  header: { name: string; description: string };
  body: z.ZodType;
  /** A body, for readers. */
  example: object;
  answer: z.ZodType;
  /** Statuses that it refuses with, beside those of every endpoint. */
  failures: readonly number[];
  /** Answers with the body of a 200, or throws the ApiError. Nobody has been asked for a credential. */
  take(platform: Platform, knock: Knock): Promise<object>;
}
