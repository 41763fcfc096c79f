// Keystores of others are read, ours are read by others, and what is none is refused without a word of what is in it.
import { privFromLegacyKeystore, privToLegacyKeystore } from 'micro-eth-signer/keystore.js';
import { describe, expect, it } from 'vitest';
import { KeystoreRefused, openKeystore, sealKeystore } from '../../../src/contexts/evm/keystore.js';

/** The test vectors of the definition of web3 secret storage; the password is theirs. */
const address = '008aeeda4d805471df9b2a5b0f38a0c3bcba786b';
const pbkdf2 = {
  address,
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: { c: 262_144, dklen: 32, prf: 'hmac-sha256', salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd' },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const scrypt = {
  ...pbkdf2,
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: 262_144, p: 8, r: 1, salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19' },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
};
const secret = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const password = 'testpassword';
const cheap = { N: 2, r: 1, p: 1 };

const refusalOf = (text: string, given = password): Promise<KeystoreRefused> =>
  openKeystore(text, given).then(
    () => {
      throw new Error('it was opened');
    },
    (error) => {
      expect(error).toBeInstanceOf(KeystoreRefused);
      return error;
    },
  );

describe('a keystore', () => {
  it.each([
    ['pbkdf2', pbkdf2],
    ['scrypt', scrypt],
    ['a capital C, as old wallets write it', { version: 3, Crypto: pbkdf2.crypto }],
  ])('with %s is read', async (_, file) => {
    expect(Buffer.from(await openKeystore(JSON.stringify(file), password)).toString('hex')).toBe(secret);
  });

  it('of ours is read by another library, and one of its is read here', async () => {
    const key = Buffer.from(secret, 'hex');
    const ours = await sealKeystore(key, 'pässword', { withAddress: true });
    const file = JSON.parse(ours);
    expect(file.address).toBe(address);
    expect(file.crypto.kdfparams).toMatchObject({ n: 262_144, r: 8, p: 1, dklen: 32 });
    expect(Buffer.from(await privFromLegacyKeystore(file, 'pässword')).toString('hex')).toBe(secret);
    const theirs = await privToLegacyKeystore(key, 'pässword', { n: 2, r: 1, p: 1 });
    expect(Buffer.from(await openKeystore(JSON.stringify(theirs), 'pässword')).toString('hex')).toBe(secret);
  });

  it('of a seed has no address, and keeps all of its bytes', async () => {
    const seed = Buffer.alloc(64, 7);
    const text = await sealKeystore(seed, password, { withAddress: false, cost: cheap });
    expect(JSON.parse(text)).not.toHaveProperty('address');
    expect(Buffer.from(await openKeystore(text, password)).equals(seed)).toBe(true);
  });

  it('is another one each time', async () => {
    const make = () => sealKeystore(Buffer.from(secret, 'hex'), password, { withAddress: true, cost: cheap });
    const [a, b] = [JSON.parse(await make()), JSON.parse(await make())];
    expect(a.crypto.kdfparams.salt).not.toBe(b.crypto.kdfparams.salt);
    expect(a.crypto.cipherparams.iv).not.toBe(b.crypto.cipherparams.iv);
    expect(a.crypto.ciphertext).not.toBe(b.crypto.ciphertext);
  });

  it('is not made under an empty password', () =>
    expect(sealKeystore(Buffer.alloc(32, 1), '', { withAddress: true })).rejects.toThrow('empty'));
});

const changed = (change: object) => JSON.stringify({ ...scrypt, crypto: { ...scrypt.crypto, ...change } });
const costing = (kdfparams: object) => changed({ kdfparams: { ...scrypt.crypto.kdfparams, ...kdfparams } });

describe('a keystore that is refused', () => {
  it.each([
    ['the wrong password', () => JSON.stringify(pbkdf2), 'other'],
    ['a changed secret', () => changed({ ciphertext: 'ff'.repeat(32), kdfparams: { ...scrypt.crypto.kdfparams, n: 2 } }), password],
  ])('for %s has an error of its own', async (_, make, given) => {
    const { reason, message } = await refusalOf(make(), given);
    expect(reason).toBe('wrong_password');
    expect(message).not.toContain(given);
  });

  it.each([
    ['n', { n: 2 ** 21, r: 1 }],
    ['r', { n: 2, r: 33 }],
    ['p', { n: 2, p: 9 }],
    ['memory', { n: 2 ** 20, r: 8 }],
    ['work', { n: 2 ** 18, r: 16, p: 8 }],
    ['length', { n: 2, dklen: 65 }],
  ])('for too large a %s is refused before anything is computed', async (_, params) => {
    expect((await refusalOf(costing(params))).reason).toBe('too_costly');
  });

  it('for too many rounds of pbkdf2', async () => {
    const kdfparams = { ...pbkdf2.crypto.kdfparams, c: 2 ** 22 + 1 };
    expect((await refusalOf(JSON.stringify({ ...pbkdf2, crypto: { ...pbkdf2.crypto, kdfparams } }))).reason).toBe('too_costly');
  });

  it.each([
    ['no JSON', 'keystore'],
    ['nothing', ''],
    ['null', 'null'],
    ['another version', JSON.stringify({ ...scrypt, version: 4 })],
    ['another cipher', changed({ cipher: 'aes-128-cbc' })],
    ['another kdf', changed({ kdf: 'argon2' })],
    ['an n that is no power of two', costing({ n: 262_145 })],
    ['a negative n', costing({ n: -2 })],
    ['no salt', costing({ salt: '' })],
    ['a short mac', changed({ mac: 'ab' })],
    ['a short secret', changed({ ciphertext: 'abcd' })],
    ['a long file', JSON.stringify({ ...scrypt, more: 'a'.repeat(20_000) })],
  ])('for %s', async (_, text) => {
    const { reason, message } = await refusalOf(text);
    expect(reason).toBe('malformed');
    expect(message).not.toContain(scrypt.crypto.ciphertext);
  });

  it('for an address that is of another key', async () => {
    const text = await sealKeystore(Buffer.from(secret, 'hex'), password, { withAddress: true, cost: cheap });
    const { reason } = await refusalOf(JSON.stringify({ ...JSON.parse(text), address: 'ab'.repeat(20) }));
    expect(reason).toBe('malformed');
  });
});
