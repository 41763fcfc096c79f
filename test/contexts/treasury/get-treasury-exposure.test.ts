// GET /v1/treasury/exposure
import { describe, expect, it } from 'vitest';
import { transferBody } from '../../factories/payment.js';
import { newSandbox } from '../../factories/treasury.js';
import { openWallet, useHarness } from '../../harness.js';
import { exposure, newBooks } from './books.js';

const harness = useHarness();
const path = '/v1/treasury/exposure';

describe('GET /v1/treasury/exposure', () => {
  describe('200', () => {
    it('what is promised and not paid, in every currency', async () => {
      const { client } = await newBooks(harness);
      expect((await client.get(path)).body).toEqual({ data: exposure });
      const { body } = await client.graphql('{ treasuryExposure { currency activeMandates scheduled streams holds disputes reserve } }');
      expect(body.data.treasuryExposure).toEqual(
        exposure.map(({ active_mandates: activeMandates, ...rest }) => ({ ...rest, activeMandates })),
      );
    });

    it('falls when it is paid, released or resolved', async () => {
      const { client, disputed, from, to } = await newBooks(harness);
      await client.make(`/v1/disputes/${disputed.id}/resolve`, { resolution: 'rejected' });
      const held = await client.make('/v1/transfers', transferBody(from, to, '8.00', { capture: 'manual' }));
      const [, before] = (await client.get(path)).body.data;
      expect(before).toMatchObject({ holds: '38.00', disputes: '0.00' });
      await client.make(`/v1/transfers/${held.id}/capture`, {});
      for (const { id } of (await client.get('/v1/transfers?status=pending')).body.data)
        await client.make(`/v1/transfers/${id}/cancel`, {});
      const [stream] = (await client.get('/v1/streams')).body.data;
      await client.make(`/v1/streams/${stream.id}/cancel`, {});
      const [, after] = (await client.get(path)).body.data;
      expect(after).toMatchObject({ scheduled: '0.00', streams: '0.00', holds: '0.00' });
    });

    it('is empty without a wallet, and knows nothing of another tenant', async () => {
      const client = await newSandbox(harness);
      await newBooks(harness);
      expect((await client.get(path)).body).toEqual({ data: [] });
      await openWallet(client, { currency: 'JPY', funded: '500' });
      const { data } = (await client.get(path)).body;
      expect(data).toEqual([
        { currency: 'JPY', active_mandates: '0', scheduled: '0', streams: '0', holds: '0', disputes: '0', reserve: '0' },
      ]);
    });
  });
});
