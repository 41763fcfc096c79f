// What the console asks about evidence: the pack of a payment, links to it, and the log.
import { paging } from './operation-part.js';

export const evidenceOperations = {
  TransferPack: `query TransferPack($id: TransferId!) {
    transferEvidence(id: $id)
  }`,

  EvidenceLog: `query EvidenceLog {
    evidenceLog {
      id
      origin
      prefix
      vkeys { vkey from until }
      state
      reason
      treeSize
      rootHash
      headAt
      behind
      continues
      publish
      headEventSeconds
    }
  }`,

  EvidenceHead: `query EvidenceHead($treeSize: Cents!) {
    evidenceHead(treeSize: $treeSize) { treeSize checkpoint at }
  }`,

  UpdateEvidenceLog: `mutation UpdateEvidenceLog($input: UpdateEvidenceLogInput!) {
    updateEvidenceLog(input: $input) { id publish headEventSeconds }
  }`,

  EvidenceLinks: `query EvidenceLinks($after: Cursor) {
    evidenceLinks(limit: 50, after: $after) {
      nodes { id transferId parts expiresAt revokedAt createdAt }
      ${paging}
    }
  }`,

  CreateEvidenceLink: `mutation CreateEvidenceLink($input: CreateEvidenceLinkInput!) {
    createEvidenceLink(input: $input) { id url }
  }`,

  RevokeEvidenceLink: `mutation RevokeEvidenceLink($id: EvidenceLinkId!) {
    revokeEvidenceLink(id: $id) { id }
  }`,
};
