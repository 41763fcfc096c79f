// The chains that the file of rails names.
import { manyParts } from '../../platform/extension.js';
import type { EvmChain } from './chain.js';

export const evmChains = manyParts<EvmChain>('chains of the EVM');
