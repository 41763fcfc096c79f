// What people and what they sign in with are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const member = defineNoun({ id: { kind: 'member', prefix: 'mem', wire: 'prefixed' }, scope: 'members:read' });

export const invitation = defineNoun({ id: { kind: 'invitation', prefix: 'inv', wire: 'prefixed' }, scope: 'members:read' });

export const login = defineNoun({ id: { kind: 'login', prefix: 'lgn', wire: 'prefixed' } });

export const passkey = defineNoun({ id: { kind: 'passkey', prefix: 'psk', wire: 'prefixed' } });
