// Figures, money and time as people of this browser's language read them. Money stays text: it is never a floating-point number.

const iso4217 = /^[A-Z]{3}$/;

/** An exact amount, with its own number of decimals. */
export function amount(text: string): string {
  const decimals = text.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(undefined, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return format.format(text as `${number}`);
}

/** An exact amount with its currency. */
export function money(text: string, currency: string): string {
  if (!iso4217.test(currency)) return `${amount(text)} ${currency}`;
  const decimals = text.split('.')[1]?.length ?? 0;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(text as `${number}`);
}

/** US dollars of a report, to the cent; what is less than a cent keeps its digits. */
export function dollars(text: string): string {
  const value = Number(text);
  if (value > 0 && value < 0.01) return money(text, 'USD');
  return new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' }).format(text as `${number}`);
}

function scaled(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The exact sum of amounts. */
export function sum(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map((text) => text.split('.')[1]?.length ?? 0));
  const total = amounts.reduce((all, text) => all + scaled(text, decimals), 0n);
  if (decimals === 0) return String(total);
  const digits = String(total < 0n ? -total : total).padStart(decimals + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The part that `text` is of `whole`, from 0 to 1: for bars, not for figures. */
export function share(text: string, whole: string): number {
  const all = Number(whole);
  return all > 0 ? Math.min(1, Math.max(0, Number(text) / all)) : 0;
}

const counts = new Intl.NumberFormat();
const shortDigits = { notation: 'compact', maximumSignificantDigits: 3 } as const;
const shortCounts = new Intl.NumberFormat(undefined, shortDigits);
const shortDollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', ...shortDigits });
const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A whole number. */
export function count(value: number): string {
  return counts.format(value);
}

/** A figure on an axis. */
export function short(value: number, unit: 'usd' | 'count'): string {
  return (unit === 'usd' ? shortDollars : shortCounts).format(value);
}

/** A part of 1. */
export function percent(part: number): string {
  return percents.format(part);
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clocks = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const zones = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' });
const hours = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A date and a time, in the time zone of this browser. */
export function moment(iso: string | number): string {
  return moments.format(new Date(iso));
}

/** The time zone of this browser as it is at an instant, such as GMT+2. */
export function zone(iso: string | number): string {
  return zones.formatToParts(new Date(iso)).find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';
}

/** A time with seconds, in the time zone of this browser; of what is older than 12 hours the day. */
export function timeOrDay(iso: string, now: number): string {
  const at = new Date(iso);
  return (now - at.getTime() < 12 * 3_600_000 ? clocks : dates).format(at);
}

/** The first instant of a bucket: an hour in the time zone of this browser, a day in UTC. */
export function bucketName(iso: string, bucket: 'hour' | 'day'): string {
  return (bucket === 'hour' ? hours : days).format(new Date(iso));
}

/** A length of time, in its two largest units. */
export function duration(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const first = Math.max(
    0,
    units.findIndex(([size]) => seconds >= size),
  );
  if (seconds < 1) return 'less than 1 s';
  let rest = Math.round(seconds);
  return units
    .slice(first, first + 2)
    .map(([size, name]) => {
      const many = Math.floor(rest / size);
      rest -= many * size;
      return many === 0 ? '' : `${many} ${name}`;
    })
    .filter((part) => part !== '')
    .join(' ');
}

const acronyms = /\b(?:ach|acp|api|cctp|id|kya|kyc|mpp|pix|rtp|sepa|spei|ucp)\b/gi;

/** `pending_payment` -> `Pending payment`, `api_key` -> `API key`. */
export function words(name: string): string {
  const text = name.replaceAll('_', ' ').replaceAll(acronyms, (word) => word.toUpperCase());
  return text.startsWith('x402') ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
