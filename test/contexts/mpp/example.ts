// MPP sessions and payments, as tests of every operation need them.
import type { Example } from '../../example.js';
import { payBody, sessionBody, storedMppPayment, storedMppSession } from '../../factories/mpp.js';

const service_url = 'https://a.example.com';
const voucher = () => ({ amount: '1.00' });

export const example: Example = {
  stored: async ({ harness, client }) => ({
    mpp_session: (await storedMppSession(harness, client)).id,
    mpp_payment: (await storedMppPayment(harness, client)).id,
  }),
  made: async ({ client, wallet, payee, agent }) => {
    const parties = { wallet: wallet.id, payee: payee.wallet.id, agent: agent.id };
    const session = await client.make('/v1/mpp/sessions', sessionBody(parties, { deposit_amount: '10.00' }));
    return {
      mpp_session: session.id,
      voucher: (await client.make(`/v1/mpp/sessions/${session.id}/vouchers`, voucher())).id,
      mpp_payment: (await client.make('/v1/mpp/pay', payBody(parties))).id,
    };
  },
  bodies: {
    createMppSession: ({ to_wallet }) => ({ service_url, payee_wallet_id: to_wallet, deposit_amount: '1.00' }),
    payMpp: ({ to_wallet }) => ({ service_url, payee_wallet_id: to_wallet, amount: '1.00' }),
    createMppVoucher: voucher,
    createMppVoucherAlias: voucher,
    verifyMppVoucher: (_, member) => (member === 'voucher_id' ? {} : { signed_voucher: 'none' }),
  },
  // A voucher that nobody knows is an answer.
  free: { verifyMppVoucher: ['voucher_id'] },
};
