// What agents find out about ACP here before they have a credential.
import { z } from 'zod';
import { currencies } from '../../platform/money.js';
import { acpVersion } from './version.js';

export const discoveryShape = z
  .strictObject({
    protocol: z.strictObject({
      name: z.literal('acp'),
      version: z.string(),
      supported_versions: z.array(z.string()),
      documentation_url: z.string(),
    }),
    api_base_url: z.string(),
    transports: z.array(z.literal('rest')),
    capabilities: z.strictObject({ services: z.array(z.literal('checkout')), supported_currencies: z.array(z.string()) }),
  })
  .meta({ id: 'AcpDiscovery' });

/**
 * The discovery document. The base URL is a template, with its braces encoded (Gap G-277). Currencies of more than three letters are served
 * too, but the protocol does not let them be listed.
 */
export function discovery(origin: string): z.infer<typeof discoveryShape> {
  return {
    protocol: { name: 'acp', version: acpVersion, supported_versions: [acpVersion], documentation_url: `${origin}/docs` },
    api_base_url: `${origin}/acp/%7Bmerchant_id%7D`,
    transports: ['rest'],
    capabilities: {
      services: ['checkout'],
      supported_currencies: currencies.filter(({ length }) => length === 3).map((currency) => currency.toLowerCase()),
    },
  };
}
