// Streams and wrapped money, as tests of every operation need them.
import type { Example } from '../../example.js';
import { storedStream, streamBody } from '../../factories/stream.js';

export const example: Example = {
  stored: async ({ harness, client }) => ({ stream: (await storedStream(harness, client)).id }),
  made: async ({ client, wallet, payee }) => ({
    stream: (await client.make('/v1/streams', streamBody(wallet, payee.wallet, { initial_deposit: '10.00' }))).id,
  }),
  bodies: { createStream: () => ({ flow_rate: '0.01', initial_deposit: '1.00' }) },
  before: {
    resumeStream: ({ client }, { stream }) => client.make(`/v1/streams/${stream}/pause`, {}),
    unwrapWallet: ({ client }, { wallet }) => client.make(`/v1/wallets/${wallet}/wrap`, { amount: '50.00' }),
  },
};
