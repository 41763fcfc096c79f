// What many addresses have of a token together, in one question: code that a node runs once, which asks the token for each address and gives back
// the sum. It is deployed nowhere.
import type { ChainAddress } from '../x402/chain/address.js';
import type { Hex } from './evm.js';

/** Addresses of one question: nodes bound the code of a call, and its gas. */
export const mostSummed = 400;

/**
 * The code for some addresses, which follow the program, 20 bytes each. readUint() reads what it gives back. It reverts where the token does not
 * answer for one.
 */
export function balanceSumCode(token: ChainAddress, addresses: readonly ChainAddress[]): Hex {
  if (addresses.length > mostSummed) throw new RangeError(`at most ${mostSummed} addresses are summed at once`);
  const program = [
    // The stack is the sum, and where the next address stands: 0x66, behind the program. The memory has balanceOf(address).
    '6000 6370a08231 60e0 1b 6000 52 610066',
    // 0x10: at the end of the code go to 0x56. Else copy the address into the memory.
    '5b 80 38 14 610056 57 6014 81 6010 39',
    // Ask the token. Go to 0x60 unless it answers with 32 bytes.
    `6020 6040 6024 6000 73${token.slice(2)} 5a fa 3d 6020 14 16 15 610060 57`,
    // Add what it says, go 20 bytes on, and back to 0x10.
    '6040 51 91 90 6014 01 91 01 90 610010 56',
    // 0x56: give back the sum. 0x60: revert.
    '5b 50 6000 52 6020 6000 f3 5b 6000 6000 fd',
  ];
  return `0x${[...program.map((line) => line.replaceAll(' ', '')), ...addresses.map((address) => address.slice(2))].join('')}`;
}
