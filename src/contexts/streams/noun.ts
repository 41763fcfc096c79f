// What streams are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { openStatuses } from '../../platform/lifecycle.js';
import { streamSubject, streamTopUpSubject } from './approval.js';
import { stepStream } from './due.js';
import { cancelStream } from './payout.js';
import { openStreamsOn, streamLifecycle } from './stream.js';
import { transfersOfStreams } from './transfer-subject.js';

export const stream = defineNoun({
  id: { kind: 'stream', prefix: 'str', wire: 'prefixed' },
  scope: 'transfers:read',
  table: 'stream',
  lifecycle: streamLifecycle,
  due: { concurrency: 8, run: stepStream },
  approvals: { stream: streamSubject, stream_top_up: streamTopUpSubject },
  transfers: transfersOfStreams,
  openOn: openStreamsOn,
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.stream.findMany({ where: { status: { in: openStatuses(streamLifecycle) } }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => cancelStream(ctx, id, reason),
    }),
  ],
});
