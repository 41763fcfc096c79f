// Mail to people: written down with what it tells of, and sent by a due step, never inside a request. What it says may carry a link that lets
// somebody in, so it is sealed until it was sent.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { handOver, hasMail } from '../../platform/outbound/mailer.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { emailRule } from './email.js';

/** What a mail says. */
export interface MailContent {
  /** One address. */
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** Where its reader goes from there. */
  link?: { label: string; url: string };
}

const longestSubject = 200;

/**
 * Writes a mail down, in the transaction of what it tells of; it is sent a moment after the commit. False where no mail is configured:
 * nothing is written then.
 */
export async function queueMail(ctx: Ctx, tx: Tx, content: MailContent): Promise<boolean> {
  if (!hasMail(ctx.platform)) return false;
  const at = ctx.clock.now();
  const id = newId(at);
  const said = { ...content, to: emailRule.parse(content.to), subject: oneLine(content.subject).slice(0, longestSubject) };
  await tx.mail.createMany({ data: [{ id, sealed: ctx.platform.vault.seal(JSON.stringify(said), id), createdAt: at, dueAt: at }] });
  ringAt(ctx, 'mail', at);
  return true;
}

/** Nothing in a header ends its line. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim();
}

// Gap G-478: A mail that the server does not take is tried again after 1, 5, 15, 60 and 240 minutes, and then given up.
const againAfterSeconds = [60, 300, 900, 3_600, 14_400];

/** Sends a mail that is due, and forgets what it said. */
export async function stepMail(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.mail.findFirst({ where: { id } });
  if (row === null || row.sealed === null) return;
  const content: MailContent = JSON.parse(ctx.platform.vault.open(row.sealed, id));
  const at = ctx.clock.now();
  const next = await handOver(ctx.platform, { id, to: content.to, subject: content.subject, ...render(content) }).then(
    () => ({ sealed: null, sentAt: at, dueAt: null }),
    (error: unknown) => {
      const seconds = againAfterSeconds[row.attempts];
      // The error may repeat what was sent, so its code alone is told.
      ctx.log.warn({ mail: id, attempts: row.attempts + 1, code: (error as { code?: string }).code }, 'a mail was not taken');
      return seconds === undefined ? { sealed: null, failedAt: at, dueAt: null } : { dueAt: addSeconds(at, seconds) };
    },
  );
  await ctx.db.mail.update({ where: rowKey(ctx, id), data: { ...next, attempts: row.attempts + 1, leaseUntil: null } });
  if (next.dueAt !== null) ringAt(ctx, 'mail', next.dueAt);
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);

/** The mail as plain text, and as simple HTML that loads nothing from anywhere. */
function render({ paragraphs, link }: MailContent): { text: string; html: string } {
  const text = [...paragraphs, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`])].join('\n\n');
  const body = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`);
  if (link !== undefined) body.push(`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`);
  return { text: `${text}\n`, html: `<!doctype html><html><body>${body.join('')}</body></html>` };
}
