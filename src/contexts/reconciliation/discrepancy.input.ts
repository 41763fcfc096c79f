// The inputs of discrepancies.
import { z } from 'zod';
import { DiscrepancyResolution, DiscrepancyStatus, DiscrepancyType, StatementDirection } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const DiscrepancyTypeEnum = builder.enumType(DiscrepancyType, {
  name: 'DiscrepancyType',
  description: 'timing_mismatch: more than a day apart. duplicate: another line of the same reference and direction came before.',
});
export const DiscrepancyStatusEnum = builder.enumType(DiscrepancyStatus, {
  name: 'DiscrepancyStatus',
  description: 'cleared: a later run has found the counterpart.',
});
export const DiscrepancyResolutionEnum = builder.enumType(DiscrepancyResolution, {
  name: 'DiscrepancyResolution',
  description: 'chasing: somebody is asked about it; it is resolved later.',
});
export const StatementDirectionEnum = builder.enumType(StatementDirection, {
  name: 'StatementDirection',
  description: 'As on the statement of the rail: debit is what left, credit what came in or came back.',
});

export const ResolveDiscrepancyInput = builder.inputType('ResolveDiscrepancyInput', {
  fields: (t) => ({
    resolution: t.field({ type: DiscrepancyResolutionEnum }),
    note: t.string({ required: false, validate: z.string().min(1).max(1_000) }),
    adjustmentTransferId: t.field({ type: 'TransferId', required: false, description: 'The transfer that sets it right, with adjusted.' }),
  }),
});
export type ResolveDiscrepancyInput = typeof ResolveDiscrepancyInput.$inferInput;
