// The input of a request that a seller got, and asks about.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

export const VerifySignatureInput = builder.inputType('VerifySignatureInput', {
  description: 'A signed HTTP request that you got.',
  extensions: {
    example: {
      method: 'GET',
      url: 'https://shop.example/offers',
      headers: {
        'Signature-Agent': 'sig1="https://shop.example/agent"',
        'Signature-Input':
          'sig1=("@authority" "signature-agent";key="sig1");created=1795456800;expires=1795457100;keyid="kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";tag="web-bot-auth"',
        Signature: 'sig1=:nF7nunrWrJnlP5rafnUCbMqj0alrxYRpZGvwJFh2hSixKAFP7bRr8oPOkX2x9fGw56S4HHfftevBWTNmGhw6BQ==:',
      },
    },
  },
  fields: (t) => ({
    method: t.string({ validate: z.string().regex(/^[A-Za-z]{1,20}$/, 'must be a method of HTTP'), description: 'Its method.' }),
    url: t.string({
      validate: z.string().min(1).max(2_048),
      description: 'Its whole address, as the caller had it: scheme, host, path and query, without decoding anything.',
    }),
    headers: t.field({
      type: 'JSONObject',
      description:
        'Its header fields by name. Those are needed that are covered, with `Signature-Input`, `Signature` and `Signature-Agent`. The lines of a field are joined with `, `.',
    }),
    contentDigest: t.string({
      required: false,
      validate: z.string().min(1).max(1_024),
      description: 'A Content-Digest (RFC 9530) of the body that you got: a signature that covers another one is invalid.',
    }),
  }),
});
export type VerifySignatureInput = typeof VerifySignatureInput.$inferInput;
