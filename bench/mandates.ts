// Executions of AP2 mandates: agents that spend at merchants, beside transfers of the same agents to the merchants' wallets.
import { inTurn, makeHolders, transferOf } from './holder.js';
import { postRequest, type Series } from './measure.js';

export const mandates: Series = {
  name: 'mandates',
  aim: 0.6,
  async open(sandbox) {
    const { url } = sandbox;
    const all = await makeHolders(sandbox);
    return {
      ours: inTurn(all, ({ mandate, jwt, merchant }, key) => {
        const body = `{"mandate_jwt":"${jwt}","merchant_id":"${merchant}","amount":"0.01","currency":"USD"}`;
        return postRequest(url, `/v1/ap2/mandates/${mandate}/execute`, body, key);
      }),
      transfers: inTurn(all, (holder, key) => transferOf(url, holder, key)),
    };
  },
};
