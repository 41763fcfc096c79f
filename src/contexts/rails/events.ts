// The events of rails of production, in the live workspace of the operator (CONTRACT.md 27).
import { z } from 'zod';
import { anyId, exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { RailStatus } from '../../generated/prisma/enums.js';

const subject = 'rail';
const rail = z.string().describe('Name of the rail.');
const status = z.enum(RailStatus);

export const { events, emit } = declareEvents({
  'rail.switched': {
    description: 'rail switched: by a person, a program, or by the platform itself',
    data: z.strictObject({
      switch_id: id('swt').describe('The switch.'),
      rail,
      from: status.describe('What it was.'),
      to: status.describe('What it is: `on`, `draining` or `off`.'),
      reason: z.string().describe('Why; `restored`: the database was put back and knew less than the memory outside of it.'),
      by: anyId.nullable().describe('Id of who switched it; null: the command line or the platform itself.'),
      at: time.describe('When.'),
    }),
    subject,
    example: {
      switch_id: exampleId('swt'),
      rail: 'usdc-base',
      from: 'off',
      to: 'on',
      reason: 'First week: 100 a day.',
      by: exampleId('mem'),
      at: exampleTime,
    },
  },
  'rail.unhealthy': {
    description: 'rail not in order: what its checks find wrong has changed, and something is wrong',
    data: z.strictObject({
      rail,
      problems: z
        .array(
          z.strictObject({
            check: z.string().describe('Name of the check.'),
            found: z.string().describe('What it found.'),
            fix: z.string().nullable().describe('What to do about it.'),
          }),
        )
        .describe('What is wrong.'),
      at: time.describe('When it was found.'),
    }),
    subject,
    example: {
      rail: 'usdc-base',
      problems: [{ check: 'gas', found: '0.0004 ETH at 0x3f…', fix: 'Send gas to the relayer.' }],
      at: exampleTime,
    },
  },
});
