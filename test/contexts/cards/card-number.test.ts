// What is the number of a card, and what is not.
import { describe, expect, it } from 'vitest';
import { hasCardNumber } from '../../../src/contexts/cards/vault/card-number.js';

describe('the number of a card', () => {
  it.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '3782-822463-10005',
    '4242.4242.4242.4242',
    'the blue one, 4242424242424242, of Ada',
    'tok_4242424242424242',
    'tok4242424242424242x',
    '4242\u00a04242\u00a04242\u00a04242',
    '4242\u20134242\u20134242\u20134242',
    '\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12',
    '123456789012',
    '1234567890123456789',
  ])('is in %s', (text) => expect(hasCardNumber(text)).toBe(true));

  it.each([
    '',
    'tok_visa',
    '12345678901',
    '12345678901234567890',
    '10115 Berlin',
    '0f4242424242424241ab',
    '01994d3e-7a80-7c3a-9d55-012345678901',
    '221B Baker Street, 12  34  56  78  90  12',
  ])('is not in %s', (text) => expect(hasCardNumber(text)).toBe(false));
});
