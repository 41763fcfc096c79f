// What binds a key beside its workspace: its scopes, and the addresses from which it may be used. Both are checked as they are written.
import { z } from 'zod';
import { isWhole, parseCidr } from '../../platform/cidr.js';
import { nearestName } from '../../platform/misspelt-name.js';
import { fullScope, readScope, scopes } from '../../platform/scope.js';

const known = [...scopes, fullScope, readScope] as readonly string[];

/** Every scope that a key may be given; the first is the most. */
export const mostScopes = known.length;

/** What is wrong with a scope; undefined for one that there is. */
function faultOfScope(scope: string): string | undefined {
  if (known.includes(scope)) return undefined;
  const meant = scope === 'approvals:write' ? 'approvals:decide' : nearestName(scope, known);
  return meant === undefined ? 'is no scope: GET /v1/scopes lists them' : `is no scope: did you mean ${meant}?`;
}

interface Context {
  addIssue(issue: { code: 'custom'; path: number[]; message: string }): void;
}

const fault = (context: Context, at: number, message: string) => context.addIssue({ code: 'custom', path: [at], message });

function refuseRepeats(list: readonly string[], context: Context, what: string): void {
  list.forEach((one, at) => {
    if (list.indexOf(one) < at) fault(context, at, `${what} stands there twice`);
  });
}

/** The scopes of a key: each of the vocabulary, and named once. */
export const scopeList = z
  .array(z.string())
  .min(1)
  .max(mostScopes)
  .superRefine((list, context) => {
    list.forEach((scope, at) => {
      const message = faultOfScope(scope);
      if (message !== undefined) fault(context, at, message);
    });
    refuseRepeats(list, context, 'the scope');
  });

// Gap G-461: `0.0.0.0/0` and `::/0` stand alone in `allowed_ips`: beside others they would make them pointless.
/** The networks from which a key may be used: at most 20, each named once. */
export const networkList = z
  .array(z.string())
  .min(1)
  .max(20)
  .superRefine((list, context) => {
    list.forEach((text, at) => {
      const cidr = parseCidr(text);
      if (cidr === null) fault(context, at, 'must be a network, such as 203.0.113.0/24, or 203.0.113.7/32 for one address');
      else if (isWhole(cidr) && list.length > 1) fault(context, at, 'is every address, so it must stand alone');
    });
    refuseRepeats(list, context, 'the network');
  });
