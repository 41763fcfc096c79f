// Sends a mail by the SMTP server of the operator, who names it in SMTP_URL. No tenant says where a mail is handed over.
import type { Platform } from '../ctx.js';

/** A mail, as it is handed to the server. */
export interface Message {
  /** The same for every attempt. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

const patienceMs = 10_000;

/** True where mail is configured. */
export function hasMail({ config }: Pick<Platform, 'config'>): boolean {
  return config.smtpUrl !== null;
}

/** Hands a mail to the server. Throws when it does not take it. The package is loaded by the first mail. */
export async function handOver({ config }: Pick<Platform, 'config'>, { id, ...message }: Message): Promise<void> {
  if (config.smtpUrl === null || config.mailFrom === null) throw new Error('no SMTP server is configured');
  const { createTransport } = await import('nodemailer');
  const times = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  const safe = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url: config.smtpUrl, ...times, ...safe });
  try {
    const host = config.mailFrom.slice(config.mailFrom.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '');
    await transport.sendMail({ ...message, ...safe, from: config.mailFrom, messageId: `<${id}@${host}>` });
  } finally {
    transport.close();
  }
}
