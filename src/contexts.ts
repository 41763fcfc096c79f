// The manifest: what the process asks of each context besides its face.
import { listenForChannels, sweepLines } from './contexts/agents/channel-event.js';
import { endStreams } from './contexts/agents/connection.js';
import { agentTokenCredential, sessionCredential } from './contexts/agents/credential.js';
import { sweepLogins } from './contexts/agents/session.js';
import { endTails } from './contexts/events/tail.js';
import { apiKeyCredential, jwtCredential, portalCredential } from './contexts/identity/credential.js';
import { sweepClocks } from './contexts/sandbox/clock.js';
import { stepTransfer } from './contexts/transfers/hold.js';
import { deliveryStep } from './contexts/webhooks/attempt.js';
import { deliverEvents } from './contexts/webhooks/delivery.js';
import type { CredentialResolver } from './platform/credential.js';
import type { Platform } from './platform/ctx.js';
import type { DueStep } from './platform/due.js';
import { type EventListener, sweepEvents, sweepPublications } from './platform/outbox.js';

/** Who is asked what a credential stands for; chosen by how it begins. */
export const credentialResolvers: readonly CredentialResolver[] = [
  apiKeyCredential,
  sessionCredential,
  agentTokenCredential,
  jwtCredential,
  portalCredential,
];

/** Who hears of every event that was committed. */
export const eventListeners: readonly EventListener[] = [deliverEvents, listenForChannels];

/** What becomes due, by table. */
export const dueSteps: readonly DueStep[] = [{ table: 'transfer', run: stepTransfer }, deliveryStep];

/** What expires and is swept away. */
export const sweeps: readonly ((platform: Platform) => Promise<number>)[] = [
  sweepLogins,
  sweepEvents,
  sweepPublications,
  sweepLines,
  sweepClocks,
];

/** Who ends its streams before the process does. */
export const streamEnds: readonly ((platform: Platform) => Promise<void>)[] = [endStreams, endTails];
