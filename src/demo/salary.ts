// The chapter of streams.
import type { Teller } from './teller.js';

/** A pays B a salary by the second, and B takes out what has flowed while it flows. */
export async function payBySecond(
  teller: Teller,
  company: string,
  session: string,
  { walletA, walletB, token }: { walletA: string; walletB: string; token: string },
): Promise<void> {
  const salary = {
    from_wallet_id: walletA,
    to_wallet_id: walletB,
    currency: 'USDC',
    rate: { amount: '216.00', per: 'month30' },
    initial_deposit: '7.50',
    buffer: '0.30',
  };
  const { data: stream } = await teller.ask('A streams B a salary, 7.20 a day', 'POST', '/v1/streams', session, salary);
  const advance = '/v1/test/clocks/advance';
  await teller.ask('An hour passes in the sandbox', 'POST', advance, company, { seconds: 3_600 });
  const path = `/v1/streams/${stream.id}`;
  const taken = await teller.ask('B takes out what has flowed, to the second', 'POST', `${path}/withdraw`, `Bearer ${token}`, {});
  if (Number(taken['transfer'].amount) < 0.3) throw new Error('the stream did not flow');
  await teller.ask('Another day passes: the stream is used up', 'POST', advance, company, { seconds: 86_400 });
  const { data: ended } = await teller.ask('Nothing more flows than was put in', 'GET', path, session);
  if (ended.status !== 'exhausted' || ended.streamed_total !== '7.20') throw new Error('the stream did not stop where its money ended');
  await teller.ask('A ends it: B gets the rest of its salary, A its buffer', 'POST', `${path}/cancel`, session, {
    reason: 'Paid in full.',
  });
}
