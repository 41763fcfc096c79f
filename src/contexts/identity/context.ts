// What identity gives to the process.
import { context } from '../../manifest/context.js';
import { apiKeyCredential, jwtCredential, portalCredential } from './credential.js';
import { sweepDirectory, sweepEndedJwts } from './directory.js';
import { apiKey, portalToken } from './noun.js';

export const identity = context({
  nouns: [apiKey, portalToken],
  credentials: [apiKeyCredential, jwtCredential, portalCredential],
  sweeps: [sweepDirectory, sweepEndedJwts],
});
