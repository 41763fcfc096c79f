// Whoever takes the database of a platform without a ctx has to know of which cell that platform is: the one of a workspace, each in a loop over
// cells (workers, sweeps, gauges), or the first, as the directory (`cells.directory`). So the files that do are named.
import type { SourceFile } from './source.js';

/** Files that take it, each looked at. One more belongs here when its platform is that of a workspace, or of a loop over cells. */
const databaseTakers = new Set([
  'src/cell.ts',
  'src/cli/backup-check.ts',
  'src/cli/cell.ts',
  'src/cli/check.ts',
  'src/cli/rails-command.ts',
  'src/cli/tenant-move.ts',
  'src/contexts/accounts/public-catalog.ts',
  'src/contexts/agents/agent.ts',
  'src/contexts/agents/channel-event.ts',
  'src/contexts/agents/connection.ts',
  'src/contexts/analytics/demand.sql.ts',
  'src/contexts/audit/archive.sql.ts',
  'src/contexts/audit/audit.schema.ts',
  'src/contexts/audit/take-up.ts',
  'src/contexts/cards/verification/key-directory.sql.ts',
  'src/contexts/cards/verification/verification.sql.ts',
  'src/contexts/checkouts/payable.sql.ts',
  'src/contexts/connections/connection.ts',
  'src/contexts/connections/credential.ts',
  'src/contexts/events/workspace-poller.ts',
  'src/contexts/events/workspace-stream.ts',
  'src/contexts/evidence/comparison.ts',
  'src/contexts/evidence/leaf.ts',
  'src/contexts/evidence/link.ts',
  'src/contexts/evidence/notice.ts',
  'src/contexts/evidence/published.ts',
  'src/contexts/evidence/signing.ts',
  'src/contexts/identity/api-key-lookup.ts',
  'src/contexts/identity/auth-session.ts',
  'src/contexts/identity/credential.ts',
  'src/contexts/identity/directory.ts',
  'src/contexts/identity/last-use.ts',
  'src/contexts/identity/place.ts',
  'src/contexts/identity/tenant.ts',
  'src/contexts/mandates/mandate-use.sql.ts',
  'src/contexts/people/login.ts',
  'src/contexts/people/lookup.ts',
  'src/contexts/people/member-place.ts',
  'src/contexts/people/oidc.ts',
  'src/contexts/rails/connector-order.sql.ts',
  'src/contexts/rails/departure.ts',
  'src/contexts/rails/doctor.ts',
  'src/contexts/rails/operator.ts',
  'src/contexts/rails/restored.ts',
  'src/contexts/rails/switch-record.ts',
  'src/contexts/rails/switch.ts',
  'src/contexts/sandbox/fill.ts',
  'src/contexts/settlement/rail/submission.sql.ts',
  'src/contexts/spending/breaker/breaker.sql.ts',
  'src/contexts/spending/pipeline/decision.sql.ts',
  'src/contexts/spending/pipeline/refusal-count.sql.ts',
  'src/contexts/spending/pipeline/refusal-writer.ts',
  'src/contexts/transfers/quote.sql.ts',
  'src/contexts/usage/rebuild.sql.ts',
  'src/contexts/usage/request-count.sql.ts',
  'src/contexts/usage/request-count.ts',
  'src/contexts/usage/retention.sql.ts',
  'src/contexts/webhooks/delivery.sql.ts',
  'src/contexts/webhooks/gate.sql.ts',
  'src/contexts/x402/endpoint/discoverable.sql.ts',
  'src/contexts/x402/endpoint/endpoint.ts',
  'src/contexts/x402/payment/quote.sql.ts',
  'src/events/listener.ts',
  'src/events/retention.sql.ts',
  'src/http/idempotency.ts',
  'src/http/load.ts',
  'src/ledger/account.ts',
  'src/ledger/sweep.ts',
  'src/platform/due/due-table.ts',
  'src/platform/due/workspace-clock.ts',
  'src/platform/partition.ts',
  'src/platform/request.ts',
  'src/platform/secrets/resealing.ts',
  'src/server.ts',
]);

const takes = /(?<!\.)\bplatform\.database\b|\bhome\.database\b|\{[^}]*\bdatabase\b[^}]*\}: (?:Pick<)?Platform/;

/** The database of a platform is taken by the files that are named, and every name is needed. */
export function databaseOfCell(files: readonly SourceFile[]): string[] {
  const takers = files
    .filter(({ path, text }) => path.startsWith('src/') && path.endsWith('.ts') && takes.test(text))
    .map(({ path }) => path);
  return [
    ...takers.filter((path) => !databaseTakers.has(path)).map((path) => `${path} takes the database of a platform: of which cell is it?`),
    ...[...databaseTakers].filter((path) => !takers.includes(path)).map((path) => `${path} is named and takes no database`),
  ];
}
