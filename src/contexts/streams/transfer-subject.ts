// What becomes of the transfers of a stream: its deposits and top-ups, and what it pays out.
import type { TransferSubject } from '../../manifest/noun.js';

export const transfersOfStreams: TransferSubject = {
  openBy: ['payer', 'payee'],
  endsWithNoun: true,
  whole: 'is part of a stream',
  operation({ type, protocolMetadata }) {
    const isTopUp = (protocolMetadata as { top_up?: true } | null)?.top_up === true;
    return { category: 'stream_action', operation: isTopUp ? 'stream.top_up' : type.replace('_', '.') };
  },
};
