// What cards give to the process.
import { context } from '../../manifest/context.js';
import { orderKind, orderKinds } from '../settlement/order-kind.js';
import { chargeOrders } from './charge-life.js';
import { agentKeyDirectoryDoor, keyDirectoryDoor } from './key-directory.door.js';
import { networks } from './network.js';
import { cardCharge, cardInstruction, cardVerification, vaultedCard } from './noun.js';
import { simulatedNetworks } from './simulated-network.js';
import { sweepVerifications } from './verification.sql.js';

export const cards = context({
  nouns: [cardCharge, vaultedCard, cardVerification, cardInstruction],
  extensions: [orderKinds.with(orderKind(chargeOrders)), networks.with(simulatedNetworks)],
  doors: [keyDirectoryDoor, agentKeyDirectoryDoor],
  sweeps: [sweepVerifications],
});
