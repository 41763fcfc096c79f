// WebAuthn: what a browser is asked to sign with a passkey, and whether what it signed is good. The user is always verified by the
// authenticator, and the passkey is one that it finds by itself. The package is loaded by the first who needs it.

import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import type { Passkey } from '../../generated/prisma/client.js';
import type { Browser } from '../../platform/browser.js';
import { SignInFailed } from '../../platform/credential.js';

const load = () => import('@simplewebauthn/server');

/** What the browser hands to the authenticator. */
export interface PasskeyOptions {
  options: object;
  /** In base64url. */
  challenge: string;
}

const newChallenge = () => new Uint8Array(randomBytes(32));
const rpIdOf = ({ origin }: Browser): string => new URL(origin).hostname;

/** Asks for a new passkey of somebody. */
export async function registrationOptions(
  browser: Browser,
  { id, email, name, known }: { id: string; email: string; name: string; known: readonly Passkey[] },
): Promise<PasskeyOptions> {
  const { generateRegistrationOptions } = await load();
  const options = await generateRegistrationOptions({
    rpName: 'Agent Payments',
    rpID: rpIdOf(browser),
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: name,
    challenge: newChallenge(),
    attestationType: 'none',
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { options, challenge: options.challenge };
}

/** Asks for a passkey that there is: one of `known`, or any that the authenticator finds. */
export async function authenticationOptions(browser: Browser, known: readonly Passkey[]): Promise<PasskeyOptions> {
  const { generateAuthenticationOptions } = await load();
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(browser),
    challenge: newChallenge(),
    userVerification: 'required',
    allowCredentials: known.map(described),
  });
  return { options, challenge: options.challenge };
}

const described = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  transports: transports as AuthenticatorTransport[],
});

/** The challenge that a response says it has signed; undefined where it cannot be read. */
export function challengeIn(response: Record<string, unknown>): string | undefined {
  try {
    const { clientDataJSON } = response['response'] as { clientDataJSON: string };
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** What is kept of a new passkey. */
export type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

/** The passkey that a browser has made. 401 `sign_in_failed` for whatever is wrong with it. */
export async function readRegistration(browser: Browser, response: Record<string, unknown>, challenge: string): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await load();
  const given = response as unknown as RegistrationResponseJSON;
  const asked = {
    expectedChallenge: challenge,
    expectedOrigin: browser.origin,
    expectedRPID: rpIdOf(browser),
    requireUserVerification: true,
  };
  const { registrationInfo } = await verifyRegistrationResponse({ response: given, ...asked }).catch(refuse);
  if (registrationInfo === undefined) throw new SignInFailed();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return { credentialId: id, publicKey: Buffer.from(publicKey), counter: BigInt(counter), transports };
}

/** How often a passkey has been used, after it signed. 401 `sign_in_failed` for whatever is wrong with it. */
export async function readAuthentication(
  browser: Browser,
  { response, challenge, passkey }: { response: Record<string, unknown>; challenge: string; passkey: Passkey },
): Promise<bigint> {
  const { verifyAuthenticationResponse } = await load();
  const credential: WebAuthnCredential = {
    id: passkey.credentialId,
    publicKey: new Uint8Array(passkey.publicKey),
    counter: Number(passkey.counter),
  };
  const asked = {
    expectedChallenge: challenge,
    expectedOrigin: browser.origin,
    expectedRPID: rpIdOf(browser),
    requireUserVerification: true,
  };
  const given = response as unknown as AuthenticationResponseJSON;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({ response: given, credential, ...asked }).catch(refuse);
  if (!verified) throw new SignInFailed();
  return BigInt(authenticationInfo.newCounter);
}

function refuse(error: unknown): never {
  // What is malformed fails in as many ways as it can be malformed.
  throw new SignInFailed(error);
}
