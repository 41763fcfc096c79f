// An SMTP server for tests of mail, which keeps what it is given.
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

interface ReceivedMail extends ParsedMail {
  /** To whom the envelope is addressed, whatever the headers say. */
  recipient: string;
}

export interface MailServer {
  /** What SMTP_URL and MAIL_FROM say to use it. */
  env: { SMTP_URL: string; MAIL_FROM: string };
  /** What has come and was not taken yet. */
  mails: ReceivedMail[];
  /** Takes nothing as long as it is true. */
  refuses: boolean;
}

/** Starts a server that stops at the end of the test file. */
export async function startMailServer(): Promise<MailServer> {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      if (mailServer.refuses) {
        stream.resume();
        stream.on('end', () => done(new Error('not now')));
        return;
      }
      simpleParser(stream).then((mail) => {
        mailServer.mails.push({ ...mail, recipient: session.envelope.rcptTo.map(({ address }) => address).join() });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as { port: number };
  afterAll(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Payments <payments@example.com>' };
  const mailServer: MailServer = { env, mails: [], refuses: false };
  return mailServer;
}
