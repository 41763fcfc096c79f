// What x402 gives to the process.
import { context } from '../../manifest/context.js';
import { receiptViews } from '../evidence/receipt-view.js';
import { chains } from './chain/chain.js';
import { simulatedChains } from './chain/simulated-chain.js';
import { endpointListener } from './endpoint/endpoint-total.sql.js';
import { events } from './events.js';
import { discoveryDoor, settleDoor, supportedDoor, verifyDoor } from './facilitator/facilitator.door.js';
import { x402Endpoint, x402Payment, x402Quote } from './noun.js';
import { sweepPaymentRequests } from './payment/quote.sql.js';
import { receiptOfTransfer } from './payment/receipt.js';

export const x402 = context({
  nouns: [x402Endpoint, x402Payment, x402Quote],
  events: [events],
  extensions: [chains.with(simulatedChains), receiptViews.with({ x402: receiptOfTransfer })],
  listeners: [endpointListener],
  doors: [verifyDoor, settleDoor, supportedDoor, discoveryDoor],
  sweeps: [sweepPaymentRequests],
});
