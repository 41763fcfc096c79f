// What a version of a protocol is called, for those who speak several. Each protocol has one table of them in its folder, newest first.

export interface ProtocolVersion {
  name: string;
  /** The day since when it is served, and until when; null where no end is set. */
  since: string;
  until: string | null;
  /** Where its schema is, in the repository of the protocol; null where it has none. */
  schema: string | null;
}
