// The inputs of mandates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { category } from '../accounts/category.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';

/** Merchants or categories in one list of a scope. */
const mostNames = 100;

export const MandateScopeInput = builder.inputType('MandateScopeInput', {
  fields: (t) => ({
    maxPerTx: t.field({ type: 'Amount', required: false }),
    maxPerDay: t.field({ type: 'Amount', required: false, description: 'In a UTC day.', extensions: { example: '200.00' } }),
    maxPerMonth: t.field({ type: 'Amount', required: false, description: 'In a UTC month.', extensions: { example: '1000.00' } }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'That of the account by default.',
      extensions: { example: 'USD' },
    }),
    allowedMerchantCategories: t.stringList({
      required: false,
      validate: z.array(category.max(64)).max(mostNames),
      extensions: { example: ['retail'] },
    }),
    allowedMerchants: t.field({
      type: ['MerchantId'],
      required: false,
      validate: z.array(z.any()).max(mostNames),
      extensions: { example: null },
    }),
    blockedMerchants: t.field({
      type: ['MerchantId'],
      required: false,
      validate: z.array(z.any()).max(mostNames),
      extensions: { example: null },
    }),
  }),
});
export type MandateScopeInput = typeof MandateScopeInput.$inferInput;

export const CreateMandateInput = builder.inputType('CreateMandateInput', {
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId' }),
    agentId: t.field({ type: 'AgentUuid', description: 'An agent of the account.' }),
    scope: t.field({ type: MandateScopeInput, description: 'With at least one of the three limits.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'Within a year.', extensions: { example: '2026-12-21T10:00:00.000Z' } }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateMandateInput = typeof CreateMandateInput.$inferInput;

export const UpdateMandateInput = builder.inputType('UpdateMandateInput', {
  fields: (t) => ({
    scope: t.field({ type: MandateScopeInput, required: false, description: 'Replaces the scope as a whole.' }),
    expiresAt: t.field({ type: 'DateTime', required: false, extensions: { example: '2026-12-31T10:00:00.000Z' } }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateMandateInput = typeof UpdateMandateInput.$inferInput;

export const RevokeMandateInput = builder.inputType('RevokeMandateInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500), extensions: { example: 'The trip was called off.' } }),
  }),
});

export const VerifyMandateInput = builder.inputType('VerifyMandateInput', {
  fields: (t) => ({
    mandateJwt: t.string({
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    amount: t.field({ type: 'Amount', required: false, description: 'In the currency of the mandate.' }),
    merchantId: t.field({ type: 'MerchantId', required: false }),
  }),
});
export type VerifyMandateInput = typeof VerifyMandateInput.$inferInput;
