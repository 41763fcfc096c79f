// What evidence gives to the process.

import { context } from '../../manifest/context.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { deliveries } from '../transfers/delivery.js';
import { noteDelivery } from './delivery.js';
import { events } from './events.js';
import { evidenceGauges } from './gauge.sql.js';
import { evidenceDelivery, evidenceLink, evidenceLog } from './noun.js';
import { openLinkDoor, packDoor } from './pack.door.js';
import { sweepHeads } from './retention.sql.js';
import { signingWork } from './signing.js';

export const evidence = context({
  nouns: [evidenceLog, evidenceDelivery, evidenceLink],
  doors: [packDoor, openLinkDoor],
  events: [events],
  extensions: [deliveries.with(noteDelivery), sealedColumns.with(sealedById('evidence_key', 'sealed_key'))],
  realTime: [signingWork],
  sweeps: [sweepHeads],
  gauges: [evidenceGauges],
});
