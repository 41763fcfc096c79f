// Whether the long form of the tests is asked for: some play little by default (CONTRIBUTING.md).

export const isSlow = process.env['SLOW'] === '1';
