// What was delivered for a transfer, and links to what proves one, as tests of every operation need them.
import type { Example } from '../../example.js';
import { transferBody } from '../../factories/payment.js';

export const example: Example = {
  made: async ({ client, wallet, payee }) => {
    const paid = await client.make('/v1/transfers', transferBody(wallet, payee.wallet, '1.00'));
    const { id } = await client.make('/v1/evidence/links', { transfer_id: paid.id });
    return { link: id, evidence_link: id };
  },
  bodies: {
    recordDelivery: () => ({ sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }),
    createEvidenceLink: ({ original_transfer }) => ({ transfer_id: original_transfer }),
  },
};
