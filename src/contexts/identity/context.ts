// What identity gives to the process.

import { context } from '../../manifest/context.js';
import { sweepMoved } from '../../platform/cell/move/sweep.js';
import { scopeSources } from '../../platform/scopes-now.js';
import { resealing } from '../../platform/secrets/resealing.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { apiKeyCredential, jwtCredential, portalCredential } from './credential.js';
import { sweepDirectory, sweepEndedJwts } from './directory.js';
import { scopesOfKey } from './given-scope.js';
import { apiKey, portalToken } from './noun.js';
import { sweepPending } from './place.js';

export const identity = context({
  nouns: [apiKey, portalToken],
  credentials: [apiKeyCredential, jwtCredential, portalCredential],
  extensions: [
    sealedColumns.with(sealedById('signing_key', 'sealed_key')),
    sealedColumns.with({ table: 'cell', column: 'sealed_url', rowId: "'cell ' || name" }),
    scopeSources.with({ api_key: scopesOfKey, user: scopesOfKey }),
  ],
  realTime: [resealing],
  sweeps: [sweepDirectory, sweepEndedJwts, sweepPending, sweepMoved],
});
