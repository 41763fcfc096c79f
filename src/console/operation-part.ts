// What several operations of the console select.

export const paging = 'pagination { total totalIsMinimum hasMore nextCursor }';

export const approval = `
  id
  status
  subject { type id }
  amount
  currency
  description
  agent { id name }
  merchant { id name }
  context { spentToday remainingToday firstTimeCounterparty similarApproved30d }
  requestedBy { type id name }
  requestedAt
  expiresAt
  required { policyId count memberIds }
  votes { member { id name } vote comment at counts }
  missing
  decidedBy { type id name }
  decidedAt
  comment
  resultError { code error }
`;

/** A row of a list of payments. */
export const payment = `
  id
  type
  status
  amount
  currency
  fromAccountId
  toAccountId
  fromAccount { name }
  toAccount { name }
  fromWalletId
  toWalletId
  destination { type ref name }
  protocol
  description
  reference
  refundedAmount
  agentId
  agent { name }
  subject { type id }
  createdAt
`;

export const decision = `
  id
  outcome
  code
  message
  evaluatedAt
  agentId
  subject { type id }
  leadingChecks { layer ruleId outcome limit used remaining message }
`;
