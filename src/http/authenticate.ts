// Reads the credential and finds who it stands for. Knows no credential itself: it asks the resolvers that contexts lists.
import { anonymous, type CredentialResolver, type Identity, MalformedCredential } from '../platform/credential.js';
import type { Environment, Platform } from '../platform/ctx.js';
import { noteRefusedCredential, type Shown } from '../platform/denial.js';
import { createCtx } from '../platform/request.js';
import type { Handler } from './state.js';

const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;
const jwt = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

export interface AuthenticateOptions {
  platform: Platform;
  /** The listener's: a credential of the other environment is refused by its resolver. */
  environment: Environment;
  resolvers: readonly CredentialResolver[];
}

function resolverOf(resolvers: readonly CredentialResolver[], credential: string): CredentialResolver | undefined {
  return resolvers.find(({ prefix }) => (prefix === 'jwt' ? jwt.test(credential) : credential.startsWith(prefix)));
}

/** Finds who an Authorization header stands for, in the request that shows it. Without one the actor is anonymous. */
export type Identify = (header: string | undefined, shown: Shown) => Promise<Identity>;

/**
 * Makes what reads Authorization headers. One that cannot be read is 401 `malformed_credential`, also on public paths: who shows a
 * credential means it (Gap G-23).
 */
export function identifier({ platform, environment, resolvers }: AuthenticateOptions): Identify {
  // A JWT is recognised last: the other kinds begin in a way that no JWT does, but the pattern alone would not say so.
  const ordered = [...resolvers].sort((a, b) => Number(a.prefix === 'jwt') - Number(b.prefix === 'jwt'));
  const nobody = anonymous(environment);

  return async (header, shown) => {
    if (header === undefined) return nobody;
    const credential = bearer.exec(header)?.[1] ?? '';
    const resolver = resolverOf(ordered, credential);
    try {
      if (resolver === undefined) throw new MalformedCredential();
      return await resolver.resolve(platform, credential, environment);
    } catch (error) {
      noteRefusedCredential(platform, shown, error, { resolver, credential });
      throw error;
    }
  };
}

/** Sets `state.ctx`. */
export function authenticate(platform: Platform, identify: Identify): Handler {
  return async (http, next) => {
    const { state } = http;
    state.ctx = createCtx(platform, await identify(http.req.headers.authorization, state), state);
    await next();
  };
}
