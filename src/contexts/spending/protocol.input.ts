// The protocols by which money moves.
import { Protocol } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const ProtocolEnum = builder.enumType(Protocol, {
  name: 'Protocol',
  description: '`ucp` and `acp`: checkouts. `ap2`: mandates. `x402` and `mpp`: paid calls. `internal` and `cross_border`: other transfers.',
});
