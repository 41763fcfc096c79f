// The events of erasures.

import { z } from 'zod';
import { exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';

export const { events, emit } = declareEvents({
  'account.erased': {
    description: 'an account was erased: whoever was told of it erases it too',
    data: z.strictObject({ account_id: id('acc'), erased_at: time.describe('When it was erased.') }),
    subject: 'account_id',
    example: { account_id: exampleId('acc'), erased_at: exampleTime },
  },
});
