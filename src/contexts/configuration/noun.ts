// What applied configurations are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const configApply = defineNoun({ id: { kind: 'configApply', prefix: 'cfg' }, scope: 'config:read' });
