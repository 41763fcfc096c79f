// E-mails, as people are known by: taken as they are written, compared without regard to case.
import { z } from 'zod';

/** Neither white space nor what means something in the header of a mail. */
const pattern = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u;

/** Gap G-470: An e-mail has at most 320 characters, one `@`, and none of the characters that structure the headers of mail. */
export const emailRule = z
  .string()
  .max(320)
  .refine((text) => pattern.test(text) && pattern.test(text.normalize('NFKC')), 'must be an e-mail address such as ada@example.com');

/** The e-mail as e-mails are compared. */
export function emailKeyOf(email: string): string {
  return email.normalize('NFKC').toLowerCase();
}
