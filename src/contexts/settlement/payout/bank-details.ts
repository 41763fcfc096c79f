// The details of bank accounts by rail, each with its check digits (CONTRACT.md 0 "Small decisions").
import type { BankRail } from '../../../generated/prisma/client.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';

export const detailMembers = ['routingNumber', 'accountNumber', 'bic', 'iban', 'key', 'clabe'] as const;
type Member = (typeof detailMembers)[number];
/** What a request says of a bank account; which members depends on its rail. */
export type BankDetails = { readonly [M in Member]?: string | null | undefined };

const membersOf: Readonly<Record<BankRail, readonly Member[]>> = {
  ach: ['routingNumber', 'accountNumber'],
  wire: ['bic', 'accountNumber'],
  sepa: ['iban'],
  pix: ['key'],
  spei: ['clabe'],
};

/** Digits weighted in turn, summed up. */
function weighted(digits: string, weights: readonly number[]): number {
  return [...digits].reduce((sum, digit, at) => sum + Number(digit) * (weights[at % weights.length] ?? 0), 0);
}

/** A routing number of the American Bankers Association: a known first pair, and a check digit. */
export function isRoutingNumber(text: string): boolean {
  if (!/^(0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(text)) return false;
  return weighted(text, [3, 7, 1]) % 10 === 0;
}

/** Length of an IBAN by country, of those that SEPA reaches. */
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AL28 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GI23 GR27 HR21 HU28 IE22 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SE24 SI19 SK24 SM27 VA22'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** An international bank account number of a country that SEPA reaches, without spaces: its length, and 97 leaves 1. */
export function isIban(text: string): boolean {
  return ibanLengths[text.slice(0, 2)] === text.length && hasIbanDigits(text);
}

/** True when the check digits of what looks like an IBAN are right, whatever its country. */
function hasIbanDigits(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(text)) return false;
  const turned = text.slice(4) + text.slice(0, 4);
  const rest = [...turned].reduce((sum, character) => {
    const value = Number.parseInt(character, 36);
    return (sum * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
  return rest === 1;
}

/** A business identifier code: bank, country, place, and perhaps a branch. */
export function isBic(text: string): boolean {
  return /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text);
}

/** A Mexican CLABE: 18 digits, each product cut to its last digit. */
export function isClabe(text: string): boolean {
  if (!/^\d{18}$/.test(text)) return false;
  const sum = [...text.slice(0, 17)].reduce((total, digit, at) => total + ((Number(digit) * ([3, 7, 1][at % 3] ?? 0)) % 10), 0);
  return (10 - (sum % 10)) % 10 === Number(text[17]);
}

/** The digit that the Brazilian registers append: weights count down, 11 takes the rest. */
function registerDigit(digits: string, weights: readonly number[]): string {
  const rest = weighted(digits, weights) % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}

const personWeights = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const companyWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** A CPF (11 digits, of a person) or a CNPJ (14 digits, of a company), with both check digits. */
export function isTaxId(text: string): boolean {
  if (!/^(\d{11}|\d{14})$/.test(text) || /^(\d)\1*$/.test(text)) return false;
  const weights = text.length === 11 ? personWeights : companyWeights;
  const own = text.slice(0, -2);
  const first = registerDigit(own, weights.slice(1));
  return text === own + first + registerDigit(own + first, weights);
}

/** A key of pix: a CPF, a CNPJ, a phone number of Brazil, an e-mail address, or a random key. */
export function isPixKey(text: string): boolean {
  if (/^\d+$/.test(text)) return isTaxId(text);
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) || /^\+55\d{10,11}$/.test(text)) return true;
  return text.length <= 77 && /^[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$/.test(text);
}

/** The number of an account at the end of a wire: one that looks like an IBAN has its check digits. */
function isWireAccount(text: string): boolean {
  return /^[A-Z]{2}\d{2}[A-Z0-9]{8,}$/.test(text) ? hasIbanDigits(text) : /^[A-Z0-9]{4,34}$/.test(text);
}

const rules: Readonly<Record<Member, { message: string; holds: (text: string, rail: BankRail) => boolean }>> = {
  routingNumber: { message: 'is no ABA routing number: nine digits, the last of which checks the others', holds: isRoutingNumber },
  accountNumber: {
    message: 'is no account number: 4 to 17 digits for ach; for wire 4 to 34 capital letters and digits, of an IBAN with its check digits',
    holds: (text, rail) => (rail === 'ach' ? /^\d{4,17}$/.test(text) : isWireAccount(text)),
  },
  bic: { message: 'is no BIC: 8 or 11 capital letters and digits', holds: isBic },
  iban: { message: 'is no IBAN that SEPA reaches, or its check digits are wrong', holds: isIban },
  key: {
    message: 'is no pix key: a CPF or CNPJ with its check digits, a phone number (+55...), an e-mail address or a UUID',
    holds: isPixKey,
  },
  clabe: { message: 'is no CLABE: 18 digits, the last of which checks the others', holds: isClabe },
};

/** As people write them: IBANs in groups, letters small. */
function normalized(member: Member, text: string): string {
  const bare = text.trim();
  if (member === 'key') return bare.toLowerCase();
  return bare.replaceAll(' ', '').toUpperCase();
}

/** The details that a rail needs, as they are stored. 400 with every member that is missing, wrong or of another rail. */
export function readDetails(rail: BankRail, details: BankDetails): Record<string, string> {
  const issues: FieldIssue[] = [];
  const read: Record<string, string> = {};
  const needed = membersOf[rail];
  for (const member of detailMembers) {
    const given = details[member];
    const fail = (message: string, rule: string) => void issues.push({ path: ['details', member], message, rule });
    if (!needed.includes(member)) {
      if (given != null) fail(`is nothing that ${rail} needs: leave it out`, 'rail');
    } else if (given == null) fail(`is required for ${rail}`, 'required');
    else {
      const text = normalized(member, given);
      if (rules[member].holds(text, rail)) read[member] = text;
      else fail(rules[member].message, 'check');
    }
  }
  if (issues.length > 0) throw new ValidationFailed(issues);
  return read;
}

/** The end of what a rail knows an account by: all that is shown of it. */
export function last4Of(rail: BankRail, details: Readonly<Record<string, string>>): string {
  return (details[membersOf[rail].at(-1) ?? ''] ?? '').slice(-4);
}
