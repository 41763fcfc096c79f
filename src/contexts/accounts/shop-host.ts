// What a host of a shop may be: a public name in the spelling in which it is compared, and none by which the platform itself is reached.
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, Forbidden, ValidationFailed } from '../../platform/errors.js';
import { isOwnName, ownNames, readHost } from '../../platform/own-host.js';

/** Hosts that one merchant may have. */
const mostHosts = 20;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const spelled = new RegExp(`^(?:${label}\\.)+${label}(?::[1-9]\\d{0,4})?$`);

// Gap G-721: A shop has a public name: none of one label, and none below local, localhost, internal, arpa or onion.
/** Names below these lead nowhere that others can ask. */
const unlisted = /(?:^|\.)(?:local|localhost|internal|arpa|onion)$/;

/** What is wrong with a host as such; undefined for one that may be somebody's. */
export function faultOfHost(text: string): string | undefined {
  if (text.includes('://')) return 'is a host alone, without a scheme';
  if (text.includes('@')) return 'is a host alone, without a user';
  if (/[/?#\\]/.test(text)) return 'is a host alone, without a path';
  if (/[^\x20-\x7e]/.test(text)) return `is written in ASCII${asciiOf(text)}`;
  if (text !== text.toLowerCase()) return `is written in small letters: ${text.toLowerCase().slice(0, 253)}`;
  if (/\.(?::\d+)?$/.test(text)) return 'has no dot at its end';
  const name = text.replace(/:\d*$/, '');
  if (/^\[|:.*:/.test(text) || isAddress(name)) return 'is a name, not an address';
  const port = text.slice(name.length + 1);
  if (port === '80' || port === '443') return `has the port that goes without saying: write ${name}`;
  if (!spelled.test(text) || name.length > 253 || Number(port) > 65_535 || !URL.canParse(`http://${text}`))
    return 'must be a host name, with its port where it has another than 443, such as shop.example.com';
  return unlisted.test(name) ? 'must be a public name, which others can ask for' : undefined;
}

/** How a name of other letters is written. */
function asciiOf(text: string): string {
  return URL.canParse(`http://${text}`) ? `: ${new URL(`http://${text}`).host}` : '';
}

/** True for what URLs read as an address, in whichever of its spellings. */
function isAddress(name: string): boolean {
  return URL.canParse(`http://${name}`) && /^[\d.]+$|^\[/.test(new URL(`http://${name}`).hostname);
}

/** The hosts of a merchant, each named once. */
export const hostList = z
  .array(z.string().max(500))
  .max(mostHosts)
  .superRefine((list, context) => {
    list.forEach((text, at) => {
      const message = faultOfHost(text) ?? (list.indexOf(text) < at ? 'stands there twice' : undefined);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [at], message });
    });
  });

/** 400 for a host by which the platform itself is reached. */
export function refuseOwnHosts({ platform: { config } }: Pick<Ctx, 'platform'>, hosts: readonly string[]): void {
  const own = ownNames(config);
  const issues = hosts.flatMap((host, at): FieldIssue[] => {
    const name = readHost(host)?.name ?? '';
    return isOwnName(name, own) ? [{ path: ['shopHosts', at], message: 'is where the platform itself is reached', rule: 'own_host' }] : [];
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** 403 for a host that a tenant adds in production: a name speaks for somebody, so who runs the platform adds it. */
export function refuseUnprovedHosts(
  { workspace }: Pick<Ctx, 'workspace'>,
  { held, wanted }: Record<'held' | 'wanted', readonly string[]>,
): void {
  if (workspace.environment === 'test' || wanted.every((host) => held.includes(host))) return;
  throw new Forbidden('In production hosts of shops are added by who runs the platform: cli shop-host add.', {
    reason: 'shop_host_not_proved',
    terminal: true,
  });
}
