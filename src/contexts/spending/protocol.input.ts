// The protocols by which money moves.
import { Protocol } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const ProtocolEnum = builder.enumType(Protocol, { name: 'Protocol' });
