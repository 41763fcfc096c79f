// Amounts as packs spell them: decimal strings, compared exactly and never rounded.

/** An amount as a whole number of units of 10^-18; undefined for what is no decimal. */
export function unitsOf(text: unknown): bigint | undefined {
  if (typeof text === 'number' && Number.isSafeInteger(text)) return BigInt(text) * scale;
  const [, sign = '', whole = '', part = ''] = (typeof text === 'string' && /^(-?)(\d{1,30})(?:\.(\d{1,18}))?$/.exec(text)) || [];
  if (whole === '') return undefined;
  const units = BigInt(whole) * scale + BigInt(part.padEnd(digits, '0'));
  return sign === '' ? units : -units;
}
const digits = 18;
const scale = 10n ** BigInt(digits);
