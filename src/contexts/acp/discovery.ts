// What agents find out about ACP here before they have a credential.
import { z } from 'zod';
import { currencies } from '../../platform/money.js';
import { acpVersion } from './version.js';

const protocol = z.strictObject({
  name: z.literal('acp').describe('Always `acp`.'),
  version: z.string().describe('The version that is preferred, which is a date.'),
  supported_versions: z.array(z.string()).describe('All versions that are spoken.'),
  documentation_url: z.string().describe('Where the documentation is.'),
});
const capabilities = z.strictObject({
  services: z.array(z.literal('checkout')).describe('What is served.'),
  supported_currencies: z.array(z.string()).describe('Currencies in lower case, such as `usd`.'),
});
export const discoveryShape = z
  .strictObject({
    protocol: protocol.describe('What is spoken here.'),
    api_base_url: z.string().describe('Where requests go to: a template, with the id of the merchant, but at the origin of a shop.'),
    transports: z.array(z.literal('rest')).describe('How requests are sent.'),
    capabilities: capabilities.describe('What can be done.'),
  })
  .meta({ id: 'AcpDiscovery' });

// Gap G-277: `api_base_url` is the template `/acp/{merchant_id}` with its braces encoded.
/**
 * The discovery document. The base URL is a template, with its braces encoded. Currencies of more than three letters are served too, but
 * the protocol does not let them be listed. `shop`: the origin of the merchant whose alone it is.
 */
export function discovery(origin: string, shop?: string): z.infer<typeof discoveryShape> {
  return {
    protocol: { name: 'acp', version: acpVersion, supported_versions: [acpVersion], documentation_url: `${origin}/docs` },
    api_base_url: shop === undefined ? `${origin}/acp/%7Bmerchant_id%7D` : `${shop}/acp`,
    transports: ['rest'],
    capabilities: {
      services: ['checkout'],
      supported_currencies: currencies.filter(({ length }) => length === 3).map((currency) => currency.toLowerCase()),
    },
  };
}
