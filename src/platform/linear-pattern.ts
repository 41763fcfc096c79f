// Patterns as JSON Schema has them, which are JavaScript's with the flag `u`, held to texts in time that grows with the text alone: RE2
// runs them, once what it spells or means otherwise is translated.
import { RE2JS } from 're2js';

/** What JavaScript takes for white space, as members of a class; RE2 takes ASCII's alone, and not all of it. */
const space = String.raw`\x09-\x0d\x20\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
/** All else. */
const noSpace = String.raw`\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const anyOnLine = String.raw`[^\n\r\x{2028}\x{2029}]`;
const anything = String.raw`[\x00-\x{10ffff}]`;
const nothing = String.raw`[^\x00-\x{10ffff}]`;

/** Long names of categories that RE2 has by their short ones. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Other: 'C',
};

/** What a backslash begins: a pair of surrogates, another code point, a property, a name, or one character. */
const escaped = String.raw`\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])`;
/** One token of a legal pattern outside of classes and inside of them. */
const tokens = {
  outside: new RegExp(String.raw`${escaped}|\(\?(?:<?[=!]|<[^>]*>)?|\[\^?\]?|[\s\S]`, 'y'),
  inside: new RegExp(`${escaped}|[\\s\\S]`, 'y'),
};

export interface LinearPattern {
  test(text: string): boolean;
}

/** Reads a pattern. Throws an Error whose message says what it must not be or have. */
export function linearPattern(pattern: string): LinearPattern {
  checkSpelling(pattern);
  const translated = translate(pattern);
  try {
    return RE2JS.compile(translated);
  } catch (error) {
    const reason = patternFault(error).replace(/^error parsing regexp: /, '');
    throw new Error(`asks for more than a pattern can that is held to a text in linear time: ${reason}`);
  }
}

/** JavaScript reads it and runs nothing. */
function checkSpelling(pattern: string): void {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    throw new Error(`is no regular expression: ${patternFault(error)}`);
  }
}

function translate(pattern: string): string {
  let translated = '';
  let inClass = false;
  for (let at = 0; at < pattern.length; ) {
    const token = tokenAt(pattern, at, inClass);
    at += token.length;
    translated += token.startsWith('\\') ? escapeOf(token, inClass) : inClass ? token.replace('[', '\\[') : plainOf(token);
    inClass = inClass ? token !== ']' : token === '[' || token === '[^';
  }
  return translated;
}

function tokenAt(pattern: string, at: number, inClass: boolean): string {
  const next = inClass ? tokens.inside : tokens.outside;
  next.lastIndex = at;
  return next.exec(pattern)?.[0] ?? pattern.slice(at);
}

function plainOf(token: string): string {
  if (token === '.') return anyOnLine;
  if (token === '[]') return nothing;
  if (token === '[^]') return anything;
  if (/^\(\?<?[=!]/.test(token)) throw mustNotLook();
  return token.startsWith('(?<') ? '(' : token;
}

function escapeOf(token: string, inClass: boolean): string {
  const letter = token[1] as string;
  if (/[1-9k]/.test(letter)) throw mustNotLook();
  if (letter === 'u') return `\\x{${codePointOf(token).toString(16)}}`;
  if (letter === 'c') return `\\x{${(token.charCodeAt(2) % 32).toString(16)}}`;
  if (letter === '0') return '\\x00';
  if (letter === 'b' && inClass) return '\\x08';
  if (letter === 's') return inClass ? space : `[${space}]`;
  if (letter === 'S') return inClass ? noSpace : `[${noSpace}]`;
  if (letter === 'p' || letter === 'P') return propertyOf(token);
  return token;
}

function codePointOf(token: string): number {
  const [first = 0, second] = (token.match(/[\da-fA-F]+/g) ?? []).map((digits) => Number.parseInt(digits, 16));
  return second === undefined ? first : ((first & 0x3ff) << 10) + (second & 0x3ff) + 0x10000;
}

/** RE2 names a script or a category without saying that it is one. */
function propertyOf(token: string): string {
  return token.replace(/\{(?:(?:General_Category|gc|Script|sc)=)?(.*)\}/, (_, name: string) => `{${categories[name] ?? name}}`);
}

function mustNotLook(): Error {
  return new Error('must not look around or back');
}

function patternFault(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
