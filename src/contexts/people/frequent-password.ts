// Passwords that everybody guesses first. The commonest of twelve characters and more are built of few words: repeated, followed by digits,
// or run along the keyboard. So the words are listed, and what is built of them is recognized.

/** What the commonest passwords are built of. */
const words = `
  password passwort passw0rd pass word letmein welcome admin administrator root user guest login master secret changeme default test testing
  qwerty qwertz azerty asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc qwe asd zxc
  iloveyou loveyou love lovely sunshine princess dragon monkey football baseball basketball soccer hockey superman batman spiderman pokemon
  shadow michael jordan jennifer jessica ashley daniel charlie thomas robert andrew joshua matthew nicole hannah amanda samantha george
  summer winter spring autumn flower butterfly chocolate cookie orange banana cheese pepper ginger tigger buster maggie bailey sophie
  computer internet samsung google facebook linkedin microsoft windows apple android whatever trustno starwars blink nothing hello freedom
  killer hunter ranger harley mustang ferrari mercedes corvette yankees cowboys liverpool chelsea arsenal barcelona juventus
  january february march april may june july august september october november december monday friday sunday
  abc abcd abcdef abcdefg abcdefgh a b c x z q
  correcthorsebatterystaple
`
  .trim()
  .split(/\s+/)
  .sort((a, b) => b.length - a.length);

/** Rows of keyboards, columns of keys, and what is counted up; each also backwards. */
const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]asdfghjkl;zxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujmikolp',
].flatMap((run) => [run, [...run].reverse().join('')]);

/** Letters that digits and signs stand for. */
const leet: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' };

/** True for a password that is built of what everybody takes. */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase().replace(/[\s_-]+/g, '');
  if (plain === '' || isRepeated(plain) || isRun(plain)) return true;
  const letters = plain.replace(/[^\p{L}]+$/u, '').replace(/^[^\p{L}]+/u, '');
  return [plain, letters, unleeted(plain), unleeted(letters)].some((text) => text === '' || isBuiltOfWord(text));
}

const unleeted = (text: string): string => [...text].map((character) => leet[character] ?? character).join('');

/** One unit of at most four characters, over and over. */
function isRepeated(text: string): boolean {
  return /^(.{1,4}?)\1+.{0,3}$/u.test(text);
}

/** Stretches of runs, put together, with at most four other characters at the end. */
function isRun(text: string): boolean {
  let from = 0;
  for (let length = 1; length > 0; from += length) length = stretchAt(text, from);
  return from > 0 && text.length - from <= mostAfterRun;
}
const mostAfterRun = 4;

/** How long the stretch of a run is that begins at a place; 0 for less than three characters. */
function stretchAt(text: string, from: number): number {
  let length = 0;
  while (from + length < text.length && runs.some((run) => run.includes(text.slice(from, from + length + 1)))) length += 1;
  return length < 3 ? 0 : length;
}

/** One word over and over, or a word with a number. */
function isBuiltOfWord(text: string): boolean {
  return words.some((word) => {
    if (!text.startsWith(word)) return false;
    const rest = text.replaceAll(word, '');
    return rest === '' || /^\d+[^\p{L}\d]*$/u.test(rest) || words.includes(rest);
  });
}
