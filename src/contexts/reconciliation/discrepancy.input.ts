// The inputs of discrepancies.
import { z } from 'zod';
import { DiscrepancyResolution, DiscrepancyStatus, DiscrepancyType, StatementDirection } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const DiscrepancyTypeEnum = builder.enumType(DiscrepancyType, {
  name: 'DiscrepancyType',
  description:
    '`ledger_only`, `rail_only`: one side lacks it. `amount_mismatch`: amounts differ. `timing_mismatch`: more than a day apart. `duplicate`: a second line with the same reference and direction.',
});
export const DiscrepancyStatusEnum = builder.enumType(DiscrepancyStatus, {
  name: 'DiscrepancyStatus',
  description:
    '`open`: nothing was done. `chasing`: somebody was asked. `resolved`: decided by hand. `cleared`: a later run found the counterpart.',
});
export const DiscrepancyResolutionEnum = builder.enumType(DiscrepancyResolution, {
  name: 'DiscrepancyResolution',
  description:
    '`adjusted`: a transfer corrected it. `written_off`: accepted as a loss. `chasing`: somebody was asked, and it is resolved later. `no_action`: nothing has to be done.',
});
export const StatementDirectionEnum = builder.enumType(StatementDirection, {
  name: 'StatementDirection',
  description: "As on the rail's statement: `debit` is money that left, `credit` money that came in or came back.",
});

export const ResolveDiscrepancyInput = builder.inputType('ResolveDiscrepancyInput', {
  description: 'What was done about a discrepancy.',
  fields: (t) => ({
    resolution: t.field({ type: DiscrepancyResolutionEnum }),
    note: t.string({ required: false, description: 'Why, for the record.', validate: z.string().min(1).max(1_000) }),
    adjustmentTransferId: t.field({
      type: 'TransferId',
      required: false,
      description: 'The transfer that corrected it; only with `adjusted`.',
    }),
  }),
});
export type ResolveDiscrepancyInput = typeof ResolveDiscrepancyInput.$inferInput;
