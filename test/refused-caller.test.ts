// Who may not call an operation: nobody without a credential, and no agent where only the tenant may. Both are told before anything of
// the request is read. Driven by the API document, so that an operation that is added is tested too.
import { beforeAll, describe, expect, it } from 'vitest';
import { enrol } from './contexts/agents/identity.js';
import { type Answer, type Json, nowhere, useHarness } from './harness.js';
import { document } from './openapi.js';
import { expectRefused } from './refusal.js';

const harness = useHarness();
const ops = Object.entries<Json>(document.paths).flatMap(([template, item]) =>
  Object.entries<Json>(item).map(([method, { operationId: id, security }]) => ({
    id: String(id),
    schemes: security.flatMap((scheme: object) => Object.keys(scheme)) as string[],
    call: (as: string | null): Promise<Answer> => {
      const path = template.replace(/\{\w+\}/g, nowhere);
      return harness.test.call(method.toUpperCase(), path, { as, ...(method !== 'get' && { body: {} }) });
    },
  })),
);

/** The operations that no agent may call, by the code with which it is refused. */
const closed = {
  forbidden: `
    activateAgent advanceTestClock applyConfig approveApproval closeWallet connectPaymentHandler createAccount createBankAccount
    createBudget createEvidenceLink createFundingTransaction createInvitation createMandate createMerchant createPolicy createRailFault
    createSettlementRule createSettlementWindow createVaultedCard createWallet createX402Endpoint deleteBankAccount deleteBudget
    deleteMandate deletePasskey deletePolicy deleteRailFaults deleteSettlementRule deleteSettlementWindow deleteVaultedCard
    deleteX402Endpoint denyConnection diffConfig disconnectPaymentHandler endAuthSession endBrowserSession eraseAccount eraseMember
    exportAuditLog freezeAgent freezeWallet fundWallet getAgentTimeline getApprovalNotices getAuditEntry getBankAccount getBreakers
    getBudget getCheckoutDemand getConfiguration getConnectRequest getConnection getConvergence getDelivery getDiscrepancy getErasure
    getEvidence getEvidenceConsistency getEvidenceHead getEvidenceLeaf getInvitation getKyaLimits getLiveness getMember getPolicy
    getProtocolActivity getProtocolDistribution getProtocolStats getRailProof getRecentActivity getReconciliationReport getSettlementConfig
    getSettlementRule getSettlementWindow getSignInSettings getTestClock getTreasuryExposure getTreasuryRunway getTreasurySnapshot
    getTrialBalance getWebhook getWebhookStats grantConnection listAuditEntries listBankAccounts listBreakerTrips listBrowserSessions
    listBudgets listConnections listDeadLetters listDeliveries listDiscrepancies listErasures listEvidenceLinks listInvitations
    listMembers listPasskeys listPaymentHandlers listPolicies listRailFaults listReconciliationReports listSettlementExecutions
    listSettlementRules listSettlementWindows listTreasurySnapshots listWebhooks recoverMember rejectApproval removeMember replayDelivery
    requestSettlement resendEvent resolveDiscrepancy returnPayout revokeAgent revokeConnection revokeEvidenceLink revokeInvitation
    revokeMandate runSettlementRule setApprovalNotices setCardLimits setPassword setSignInSettings settleTransfer signOutMember
    startReconciliation stepUp suspendAgent switchRail switchTenant takeTreasurySnapshot testApprovalNotices triggerEvent unfreezeAgent
    unfreezeWallet updateAccount updateBankAccount updateBudget updateConnection updateEvidence updateMandate updateMember updateMerchant
    updatePolicy updateSettlementConfig updateSettlementRule updateSettlementWindow updateWallet updateX402Endpoint uploadRailEntries
    verifyAuditLog`,
  api_key_required: `
    createAgent createApiKey createPortalToken createWebhook deleteWebhook freezeSpending getApiKey getPortalToken listApiKeys
    listPortalTokens provisionAuthKey replayWebhook resetSandbox revokeAgentToken revokeApiKey revokeAuthKey revokePortalToken rollApiKey
    rotateWebhookSecret seedSandbox setBreakers setKyaLimits setRates testWebhook unfreezeSpending updateWebhook verifyWebhook`,
};

describe('401 for callers that show nothing, nonsense, or a key of the other environment', () => {
  it.each(ops.filter(({ schemes }) => schemes.length > 0).map((one) => [one.id, one] as const))('%s', async (_, { call }) => {
    for (const [as, code] of [
      [null, 'missing_credential'],
      [`pk_test_${'x'.repeat(43)}`, 'invalid_api_key'],
      [harness.live.key, 'environment_mismatch'],
    ] as const) {
      const answer = await call(as);
      // A door speaks the language of its protocol, and says the code in it.
      if (answer.body.details !== undefined) expectRefused(answer, 401, code);
      else expect([answer.status, JSON.stringify(answer.body)]).toEqual([401, expect.stringMatching(new RegExp(code, 'i'))]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});

describe('403 for an agent, where only the tenant may', () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await enrol(harness.test));
  });

  const isClosed = ({ schemes }: (typeof ops)[number]) => schemes.length > 0 && !schemes.includes('agentToken');
  const codeOf = ({ schemes }: (typeof ops)[number]) => (schemes.includes('jwt') ? 'forbidden' : 'api_key_required');

  it.each(Object.entries(closed))('the document says so, %s', (code, ids) => {
    const found = ops.filter((one) => isClosed(one) && codeOf(one) === code).map(({ id }) => id);
    expect(found.sort()).toEqual(ids.trim().split(/\s+/));
  });

  it.each(ops.filter(isClosed).map((one) => [one.id, one] as const))('%s', async (_, one) => {
    expectRefused(await one.call(token), 403, codeOf(one));
  });
});
