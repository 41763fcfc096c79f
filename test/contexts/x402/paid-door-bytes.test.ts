// What the paid door says to stock clients, byte for byte as it was recorded; what is new in each answer (ids, times, addresses, signatures)
// stands there by its kind. Whoever changes a line of the record says why in docs/protocols.md.
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { beforeEach, describe, expect, it } from 'vitest';
import { chainName, newPayer } from '../../factories/chain.js';
import { ledgerClient } from '../../factories/mpp-call.js';
import { newBuyer, newEndpoint } from '../../factories/x402.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
// The official clients live in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

/** Headers that the protocols define; those of every answer are tested elsewhere. */
const recorded = ['cache-control', 'content-type', 'payment-receipt', 'payment-required', 'payment-response', 'www-authenticate'];

/** What no two answers share, by its kind. */
const kinds: [RegExp, string][] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jws>'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/0x[0-9a-f]{64}/gi, '<hash>'],
  [/0x(?!036cbd53)[0-9a-f]{40}/gi, '<address>'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
  [/ id="[\w-]{43}"/g, ' id="<id>"'],
  [/opaque="[\w-]+"/g, 'opaque="<opaque>"'],
];

/** The text with base64 members written out, and kinds instead of what is new. */
function plain(text: string): string {
  const written = text
    .replace(/request="([\w-]+)"/g, (_, member: string) => `request="${Buffer.from(member, 'base64url').toString()}"`)
    .replace(/^[\w+/-]+={0,2}$/, (all) => (all.startsWith('ey') ? Buffer.from(all, 'base64').toString() : all));
  return kinds.reduce((one, [pattern, kind]) => one.replace(pattern, kind), written);
}

/** The answers that a client got, one after the other. */
function listening(): { fetch: typeof fetch; heard: string[] } {
  const heard: string[] = [];
  const listen: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const headers = recorded.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [`${name}: ${plain(value)}`];
    });
    heard.push([`HTTP ${answer.status}`, ...headers, '', plain(await answer.clone().text())].join('\n'));
    return answer;
  };
  return { fetch: listen, heard };
}

// Since offers and receipts are signed, `extensions` has the member `offer-receipt` in 402s of version 2 and in PAYMENT-RESPONSE: it was
// inserted, and every byte around it stayed. Clients leave extensions alone that they do not know.
describe('what a stock client hears is as it was recorded', () => {
  it('x402, paid from a chain', async () => {
    const endpoint = await newEndpoint(harness.test, { network: chainName, description: 'Weather of today' });
    const client = new x402Client().register(chainName, new ExactEvmScheme(await newPayer(harness.test)));
    const { fetch: listen, heard } = listening();
    const answer = await wrapFetchWithPayment(listen, client)(`${harness.test.url}/x402/${endpoint.id}`);
    expect(answer.status).toBe(200);
    await expect(heard.join('\n\n')).toMatchFileSnapshot('fixtures/x402-fetch.txt');
  });

  it('x402, the 402 of version 1', async () => {
    const endpoint = await newEndpoint(harness.test, { network: chainName });
    const { fetch: listen, heard } = listening();
    await listen(`${harness.test.url}/v1/x402/endpoints/${endpoint.id}/challenge`, { headers: { 'X-PAYMENT': 'x' } });
    await expect(heard.join('\n\n')).toMatchFileSnapshot('fixtures/x402-version-1.txt');
  });

  it('MPP, paid from a wallet', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const { fetch: listen, heard } = listening();
    const answer = await ledgerClient(buyer, listen).fetch(`${harness.test.url}/x402/${endpoint.id}`);
    expect(answer.status).toBe(200);
    await expect(heard.join('\n\n')).toMatchFileSnapshot('fixtures/mppx.txt');
  });
});
