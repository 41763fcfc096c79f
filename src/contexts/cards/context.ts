// What cards give to the process.

import { context } from '../../manifest/context.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { orderKind, orderKinds } from '../settlement/rail/order-kind.js';
import { chargeOrders } from './charge/charge-life.js';
import { networks } from './instruction/network.js';
import { simulatedNetworks } from './instruction/simulated-network.js';
import { cardCharge, cardInstruction, cardVerification, vaultedCard } from './noun.js';
import { agentKeyDirectoryDoor, keyDirectoryDoor } from './verification/key-directory.door.js';
import { sweepNonces, sweepVerifications } from './verification/verification.sql.js';

export const cards = context({
  nouns: [cardCharge, vaultedCard, cardVerification, cardInstruction],
  extensions: [
    sealedColumns.with(sealedById('vaulted_card', 'sealed_token')),
    orderKinds.with(orderKind(chargeOrders)),
    networks.with(simulatedNetworks),
  ],
  doors: [keyDirectoryDoor, agentKeyDirectoryDoor],
  sweeps: [sweepVerifications, sweepNonces],
});
