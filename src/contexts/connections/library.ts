// What is used of oidc-provider, which has no types of its own, and how it is loaded: by the first request that needs it. Its own entry says
// on Node 20 that it wants a later one; the parts behind it do not, and nothing in the flow needs more.
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Payload } from './artifact.js';

/** The request that is being answered, as the library carries it along. */
export interface LibraryCtx {
  /** `failure` is what kept the store from answering. */
  req: IncomingMessage & { caller?: { address: string; network: string }; failure?: unknown };
  type: string;
  body: unknown;
  cookies: { set(name: string, value: string, options: Record<string, unknown>): void };
  oidc: {
    result?: { consent?: { grantId?: string } };
    entities: { Grant?: { exp: number } };
    provider: { Grant: { find(id: string): Promise<unknown> } };
  };
}

export interface Interaction {
  uid: string;
}

export interface GrantModel {
  jti?: string;
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  generateTokenId(): string;
  getValueAndPayload(): Promise<{ payload: Payload }>;
}

/** A class of what is kept. */
interface Model {
  prototype: { generateTokenId: (this: { format?: string }) => string };
}

export interface Provider {
  proxy: boolean;
  callback(): RequestListener;
  on(event: string, listener: (...args: never[]) => void): void;
  AccessToken: Model;
  RefreshToken: Model;
  AuthorizationCode: Model;
  Grant: new (input: { accountId: string; clientId: string; exp?: number }) => GrantModel;
}

type Failure = Error & { status: number; statusCode: number };

export interface Library {
  Provider: {
    new (issuer: string, configuration: Record<string, unknown>): Provider;
    /** The request that is being answered. */
    readonly ctx: LibraryCtx | undefined;
  };
  errors: {
    InvalidGrant: new (reason: string) => Failure;
    InvalidTarget: new () => Failure;
    CustomOIDCProviderError: new (error: string, description: string) => Failure;
  };
  interactionPolicy: {
    Check: new (reason: string, description: string, check: (ctx: LibraryCtx) => boolean) => unknown;
    Prompt: new (facts: { name: string; requestable: boolean }, ...checks: unknown[]) => unknown;
  };
}

/** The library. Once loaded it is there at once. */
export async function loadLibrary(): Promise<Library> {
  const parts: unknown[] = await Promise.all([
    import('oidc-provider/lib/provider.js' as string),
    import('oidc-provider/lib/helpers/errors.js' as string),
    import('oidc-provider/lib/helpers/interaction_policy/index.js' as string),
  ]);
  const [provider, errors, interactionPolicy] = parts as [Pick<Library, 'Provider'>, Library['errors'], Library['interactionPolicy']];
  return { Provider: provider.Provider, errors, interactionPolicy };
}
