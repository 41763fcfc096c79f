// The revisions of MCP that are served. docs/protocols.md prints them.
import type { ProtocolVersion } from '../platform/protocol-version.js';

/** The first revision without handshake and sessions: each request says which revision it speaks. */
export const modern = '2026-07-28';

const schemaOf = (name: string) => `schema/${name}/schema.json`;
const ofSession = (name: string): ProtocolVersion => ({ name, since: '2026-11-22', until: null, schema: schemaOf(name) });

export const revisions: readonly ProtocolVersion[] = [
  { name: modern, since: '2026-11-26', until: null, schema: schemaOf(modern) },
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map(ofSession),
  { ...ofSession('2024-10-07'), schema: null },
];
