// Takes blocks of a chain back in tests, and puts new ones in their place: empty, with the transaction that was there, or with another one that
// does the same.
import type { ChainRail } from './rail.js';

/** What the new blocks have of a transaction that was sent. `another`: one of somebody else, or of the same sender in its place. */
export type Contents = 'the same' | 'another' | 'nothing';

// biome-ignore lint/suspicious/noExplicitAny: what a node answers depends on the call.
type Any = any;

/** Tip and price that every block takes. */
const fees = { maxPriorityFeePerGas: '0x2540be400', maxFeePerGas: '0x4a817c800', gas: '0x30000' };

/** Reorganizes one chain. */
export class Reorganizer {
  readonly #rail: ChainRail;
  readonly #random: () => number;

  constructor(rail: ChainRail, random: () => number) {
    this.#rail = rail;
    this.#random = random;
  }

  /** Takes so many blocks back. True where the transaction was in one of them. */
  async reorganize(depth: number, txHash: string, contents: Contents): Promise<boolean> {
    const { anvil } = this.#rail;
    const sent = await anvil.ask('eth_getTransactionByHash', txHash);
    const ancestor = Number(await anvil.ask('eth_blockNumber')) - depth;
    const block = sent.blockNumber === null ? null : Number(sent.blockNumber);
    const isBelow = block !== null && block <= ancestor;
    const isGone = block !== null && block > ancestor;
    const place = Math.floor(this.#random() * depth);
    if (contents === 'the same' && !isBelow)
      await anvil.ask('anvil_reorg', depth, [[await anvil.ask('eth_getRawTransactionByHash', txHash), place]]);
    else if (contents === 'another' || contents === 'the same')
      await anvil.ask('anvil_reorg', depth, [[await this.#other(sent, ancestor, isBelow), place]]);
    else await anvil.ask('anvil_reorg', depth, []);
    return isGone;
  }

  /** A transaction in the place of one: of the same sender with another amount, or a stranger's with the same call. */
  async #other({ from, to, input, nonce }: Any, ancestor: number, isBelow: boolean): Promise<object> {
    const { anvil } = this.#rail;
    const [maker, stranger] = await anvil.ask('eth_accounts');
    const next = await anvil.ask('eth_getTransactionCount', stranger, `0x${ancestor.toString(16)}`);
    const ofStranger = { from: stranger, to, nonce: next, ...fees };
    // What is not taken back stays as it is: it is money for somebody else.
    if (isBelow) return { ...ofStranger, to: anvil.token, data: this.#mint(stranger, 1n) };
    if (from !== maker) return { ...ofStranger, data: input };
    return { from, to, nonce, ...fees, data: `${input.slice(0, -64)}${4_000_000n.toString(16).padStart(64, '0')}` };
  }

  #mint(to: string, value: bigint): string {
    const words = [to.slice(2), value.toString(16)].map((digits) => digits.padStart(64, '0'));
    return `${this.#rail.selector('mint(address,uint256)')}${words.join('')}`;
  }
}
