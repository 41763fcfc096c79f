// What rails of production are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const railSwitch = defineNoun({
  id: { kind: 'railSwitch', prefix: 'swt', wire: 'prefixed' },
  scope: 'rails:read',
  table: 'rail_switch',
});
