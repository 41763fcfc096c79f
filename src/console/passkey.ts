// Passkeys: the browser asks its authenticator to sign what the server gave it, and the server is told what was signed.
import { ask, Refusal, takeUpSession } from './api.js';
import { rememberTenants } from './tenant.js';

/** An authenticator knows sites by their name, so a page at a bare address has none. */
const isNamed = !/^[\d.]+$|^\[/.test(location.hostname);

/** False where this browser has no passkeys, or this page cannot have any. */
export const hasPasskeys =
  isNamed && 'PublicKeyCredential' in window && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** What goes along: the token of a link, and what the person or the passkey is called. */
export interface PasskeyFacts {
  token?: string;
  name?: string;
  email?: string;
}

/** A refusal of the page, where the link of the first owner needs an e-mail before a passkey is made for it. */
export const emailMissing = 'email_missing';

type Options = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON;

async function signed(options: Options, isNew: boolean): Promise<Record<string, unknown>> {
  try {
    const credential = isNew
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    return { ...(credential as PublicKeyCredential).toJSON() };
  } catch {
    throw new Refusal('The passkey was not used. Try again, or choose another way.', 'page');
  }
}

/** Signs in, joins, steps up or adds a passkey, and takes up the session that the server has begun. */
export async function usePasskey(purpose: 'sign_in' | 'join' | 'step_up' | 'add', facts: PasskeyFacts = {}): Promise<boolean> {
  const { token, email } = facts;
  const { passkeyOptions } = await ask('PasskeyOptions', { input: { purpose, ...(token !== undefined && { token }) } });
  const options = passkeyOptions.options as Options;
  const isNew = purpose === 'join' || purpose === 'add';
  // The link of the first owner names nobody.
  if (purpose === 'join' && email === undefined && options.user.name === 'owner')
    throw new Refusal('Say by which e-mail you will be known.', emailMissing);
  const response = await signed(options, isNew);
  const { usePasskey: done } = await ask('UsePasskey', { input: { purpose, response, ...facts } });
  if (purpose === 'sign_in') rememberTenants(done.tenants);
  return takeUpSession();
}
