// What mandates give to the process.

import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { mandateReader } from '../spending/pipeline/mandate.js';
import { events } from './events.js';
import { endMandates } from './mandate-end.sql.js';
import { mandate, mandateExecution } from './noun.js';
import { readPresented } from './presentation.js';

export const mandates = context({
  nouns: [mandate, mandateExecution],
  events: [events],
  extensions: [
    sealedColumns.with(sealedById('mandate', 'sealed_jwt')),
    sealedColumns.with({ table: 'mandate_version', column: 'sealed_jwt', rowId: 'mandate_id::text' }),
    onFreeze.with(endMandates),
    mandateReader.with(readPresented),
  ],
});
