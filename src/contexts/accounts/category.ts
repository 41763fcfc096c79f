// What merchants are called by kind: their own slug, or a code of the card networks (MCC).
import { z } from 'zod';

/** A slug, or a four-digit merchant category code. */
export const category = z.string().regex(/^(\d{4}|[a-z0-9]+(-[a-z0-9]+)*)$/, 'must be a slug such as cloud-computing, or a four-digit MCC');
