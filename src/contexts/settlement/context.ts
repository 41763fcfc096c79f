// What settlement gives to the process.

import { context } from '../../manifest/context.js';
import { openOn, settlings } from '../../manifest/noun.js';
import { rowStep } from '../../platform/due/step.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { externalTransfers } from '../transfers/external-transfer.js';
import { withholder } from '../transfers/withholding.js';
import { events } from './events.js';
import { bankAccount, payout, railFault, settlementWindow } from './noun.js';
import { payoutOrders } from './payout/payout-order.js';
import { payoutTransfers } from './payout/payout-request.js';
import { orderKind, orderKinds } from './rail/order-kind.js';
import { railDoor } from './rail/rail.door.js';
import { rails } from './rail/rail.js';
import { stepOrder } from './rail/rail-book.js';
import { simulatedRails } from './rail/simulated-rail.js';
import { openReserves, reserveHeld, stepReserve, withheld } from './reserve/reserve.js';

export const settlement = context({
  nouns: [payout, bankAccount, settlementWindow, railFault],
  events: [events],
  extensions: [
    sealedColumns.with(sealedById('bank_account', 'sealed_details')),
    sealedColumns.with(sealedById('payout', 'sealed_destination')),
    externalTransfers.with(payoutTransfers),
    withholder.with(withheld),
    orderKinds.with(orderKind(payoutOrders)),
    rails.with(simulatedRails),
    openOn.with(openReserves),
    settlings.with({ type: 'rail_order', from: 'rail_order', id: 'reference', status: 'state', where: 'due_at IS NOT NULL' }),
  ],
  due: [
    rowStep({ table: 'rail_order', isBookkeeping: true, concurrency: 8, run: stepOrder }),
    rowStep({ table: 'settlement_reserve', concurrency: 4, run: stepReserve }),
  ],
  doors: [railDoor],
  escrows: [reserveHeld],
});
