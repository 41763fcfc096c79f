// The inputs of mandates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { category } from '../accounts/category.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';

/** Merchants or categories in one list of a scope. */
const mostNames = 100;

export const MandateScopeInput = builder.inputType('MandateScopeInput', {
  description: 'What a mandate allows. At least one of the three limits is required.',
  fields: (t) => ({
    maxPerTx: t.field({ type: 'Amount', required: false, description: 'The most of one spend, in `currency`.' }),
    maxPerDay: t.field({
      type: 'Amount',
      required: false,
      description: 'The most per UTC day, in `currency`.',
      extensions: { example: '200.00' },
    }),
    maxPerMonth: t.field({
      type: 'Amount',
      required: false,
      description: 'The most per UTC month, in `currency`.',
      extensions: { example: '1000.00' },
    }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency of the limits and spends; by default that of the account.',
      extensions: { example: 'USD' },
    }),
    allowedMerchantCategories: t.stringList({
      required: false,
      description: 'Only merchants of these categories are paid; any by default.',
      validate: z.array(category.max(64)).max(mostNames),
      extensions: { example: ['retail'] },
    }),
    allowedMerchants: t.field({
      type: ['MerchantId'],
      required: false,
      description: 'Only these merchants are paid; any by default.',
      validate: z.array(z.any()).max(mostNames),
      extensions: { example: null },
    }),
    blockedMerchants: t.field({
      type: ['MerchantId'],
      required: false,
      description: 'These merchants are never paid.',
      validate: z.array(z.any()).max(mostNames),
      extensions: { example: null },
    }),
  }),
});
export type MandateScopeInput = typeof MandateScopeInput.$inferInput;

export const CreateMandateInput = builder.inputType('CreateMandateInput', {
  description: 'A new mandate.',
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId', description: 'The account whose money may be spent.' }),
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that may spend, one of the account.' }),
    scope: t.field({ type: MandateScopeInput, description: 'What may be spent and where, with at least one limit.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the mandate ends by itself, within a year.',
      extensions: { example: '2026-12-21T10:00:00.000Z' },
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateMandateInput = typeof CreateMandateInput.$inferInput;

export const UpdateMandateInput = builder.inputType('UpdateMandateInput', {
  description: 'Changes of a mandate. A member that is left out stays as it is.',
  fields: (t) => ({
    scope: t.field({ type: MandateScopeInput, required: false, description: 'New scope, which replaces the one before as a whole.' }),
    expiresAt: t.field({
      type: 'DateTime',
      required: false,
      description: 'New end, within a year.',
      extensions: { example: '2026-12-31T10:00:00.000Z' },
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateMandateInput = typeof UpdateMandateInput.$inferInput;

export const RevokeMandateInput = builder.inputType('RevokeMandateInput', {
  description: 'Why a mandate is revoked.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why; shown as `revoked_reason`.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'The trip was called off.' },
    }),
  }),
});

export const VerifyMandateInput = builder.inputType('VerifyMandateInput', {
  description: 'The mandate to verify, and a spend.',
  fields: (t) => ({
    mandateJwt: t.string({
      description: 'The JWT of the mandate.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    amount: t.field({ type: 'Amount', required: false, description: 'A spend to check, in the currency of the mandate.' }),
    merchantId: t.field({ type: 'MerchantId', required: false, description: 'The merchant that would be paid.' }),
  }),
});
export type VerifyMandateInput = typeof VerifyMandateInput.$inferInput;
