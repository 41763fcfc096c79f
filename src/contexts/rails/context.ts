// What rails of production give to the process.

import { context } from '../../manifest/context.js';
import { rowStep } from '../../platform/due/step.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { runsPlatform } from '../transfers/rail.js';
import { readConfigured } from './configured.js';
import { stepConnectorOrder } from './connector-order.js';
import { healthWork } from './doctor.js';
import { events } from './events.js';
import { railGauges } from './gauge.sql.js';
import { railSwitch } from './noun.js';
import { isOperator, requireOperator } from './operator.js';
import { proofWork } from './proof.js';
import { rememberedDepartures, rememberedKinds, rememberedSwitches } from './restored.js';

export const rails = context({
  nouns: [railSwitch],
  events: [events],
  configured: [readConfigured],
  conditions: [requireOperator],
  extensions: [
    runsPlatform.with(isOperator),
    sealedColumns.with(sealedById('connector_order', 'sealed_destination')),
    rememberedKinds.with(rememberedSwitches),
    rememberedKinds.with(rememberedDepartures),
  ],
  due: [rowStep({ table: 'connector_order', isBookkeeping: true, concurrency: 16, run: stepConnectorOrder })],
  realTime: [healthWork, proofWork],
  gauges: [railGauges],
});
