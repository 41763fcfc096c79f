// What a method of A2A is asked: at whose endpoint, in which version, with what.
import type { Agent } from '../../generated/prisma/client.js';
import type { Version } from './json-rpc.js';

/** The agent whose endpoint was asked. */
export type Host = Pick<Agent, 'id' | 'status'>;

export interface A2aCall {
  host: Host;
  version: Version;
  params: unknown;
}
