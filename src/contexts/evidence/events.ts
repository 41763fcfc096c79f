// The events of logs of evidence (CONTRACT.md 25).
import { z } from 'zod';
import { exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { haltReasons } from './comparison.js';

const subject = 'log_id';
const origin = 'pay.example.com/.well-known/evidence/log_3f2a9c4e-1b7d-4e60-8a35-c9d2f1e0b846';
const rootHash = '9f2c4b1a7d6e5f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0918273645f0';

export const { events, emit } = declareEvents({
  'evidence.head': {
    description: 'head of the log signed: at most one for each interval of the log, when it has grown',
    data: z.strictObject({
      log_id: id('log').describe('The log.'),
      origin: z.string().describe('Name of the log in checkpoints.'),
      tree_size: z.number().int().describe('Leaves of the head.'),
      root_hash: z.string().describe('Hash of its root, in hex.'),
      checkpoint: z.string().describe('The signed note (C2SP tlog-checkpoint).'),
      at: time.describe('When it was signed.'),
    }),
    subject,
    example: {
      log_id: exampleId('log'),
      origin,
      tree_size: 4,
      root_hash: rootHash,
      checkpoint: `${origin}\n4\nnyxLGn1uXzwrGgn459bFtKOSgXBvXk08KxoJGCc2RfA=\n\n— ${origin} 7t0zKw…\n`,
      at: exampleTime,
    },
  },
  'evidence.halted': {
    description: 'log halted: what was signed of it does not fit what the database has; nothing is signed until an operator has looked',
    data: z.strictObject({
      log_id: id('log').describe('The log.'),
      reason: z
        .enum(haltReasons)
        .describe(
          '`memory_ahead`: more was signed than the database has. `memory_differs`: it has another root. `memory_missing`: nobody knows.',
        ),
      tree_size: z.number().int().describe('Leaves that the database has signed.'),
      known_size: z.number().int().describe('Leaves that the memory outside of it knows of.'),
      at: time.describe('When it was halted.'),
    }),
    subject,
    example: { log_id: exampleId('log'), reason: 'memory_ahead', tree_size: 412, known_size: 430, at: exampleTime },
  },
});
