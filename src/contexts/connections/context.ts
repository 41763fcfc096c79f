// What connections give to the process.

import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { sealedColumns } from '../../platform/secrets/sealed-column.js';
import { endWithAgent, sweepArtifacts, sweepConnections, sweepOrphans } from './connection.js';
import { connectionCredential } from './credential.js';
import { events } from './events.js';
import { connection } from './noun.js';

export const connections = context({
  nouns: [connection],
  events: [events],
  credentials: [connectionCredential],
  extensions: [
    sealedColumns.with({ table: 'oauth_artifact', column: 'payload', rowId: "encode(hash, 'hex')" }),
    onFreeze.with(endWithAgent),
  ],
  sweeps: [sweepConnections, sweepOrphans, sweepArtifacts],
});
