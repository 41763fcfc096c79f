// The walls of the workspace, as far as they stand in the data model: composite references, indexes that begin with the workspace,
// enum values spelled as on the wire, migrations that are named and whole.

import { snakeCase } from '../src/platform/snake-case.js';
import { codeOf, type Rule, type SourceFile } from './source.js';

interface Model {
  path: string;
  name: string;
  lines: string[];
}

function modelsOf(files: readonly SourceFile[]): Model[] {
  return files
    .filter(({ path }) => path.endsWith('.prisma'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => ({
        path,
        name,
        lines: body.split('\n').map((line) => line.trim()),
      })),
    );
}

const isScoped = ({ lines }: Model) => lines.some((line) => /^workspaceId\s/.test(line));

/** Deleted along with what they are about: deliveries are swept with their events, and with them their attempts. */
const cascading = ['DeliveryAttempt.delivery'];

/** A reference between scoped models carries the workspace; nothing is deleted (but for `cascading`) or renamed along it. */
function references(files: readonly SourceFile[]): string[] {
  const models = modelsOf(files);
  const scoped = new Set(models.filter(isScoped).map(({ name }) => name));
  return models.filter(isScoped).flatMap(({ path, name, lines }) =>
    lines.flatMap((line) => {
      const [, field = '', target = '', from = '', to = ''] =
        /^(\w+)\s+(\w+)\??\s+@relation\(fields: \[([^\]]*)\], references: \[([^\]]*)\]/.exec(line) ?? [];
      if (field === '') return [];
      const good = scoped.has(target)
        ? /^workspaceId, \w+$/.test(from) && to === 'workspaceId, id'
        : target === 'Workspace' && from === 'workspaceId' && to === 'id';
      if (!good) return [`${path} ${name}.${field} must refer to [workspaceId, id]`];
      const onDelete = cascading.includes(`${name}.${field}`) ? 'Cascade' : 'Restrict';
      return line.includes(`onDelete: ${onDelete}, onUpdate: Restrict`)
        ? []
        : [`${path} ${name}.${field} must have onDelete: ${onDelete}, onUpdate: Restrict`];
    }),
  );
}

/**
 * Looked up before the workspace is known, swept over all of them, the one row of an agent, a session or a workspace, or behind a key that
 * an index of few levels would be mistaken for (decision 0017).
 */
const withoutWorkspace = [
  'Credential.hash',
  'OauthArtifact.hash',
  'Challenge [expiresAt]',
  'Quote [expiresAt]',
  'X402Quote [expiresAt]',
  'AgentSession [expiresAt]',
  'Outbox [id]',
  'AuditLine [number]',
  'AuditHead.workspaceId',
  'Publication [number]',
  'Breaker.workspaceId',
  'SettlementConfig.workspaceId',
  'SpendMinute [minute]',
  'CardVerification [keptUntil]',
  'EvidenceHead [at]',
  'SignatureNonce [keptUntil]',
  'OauthArtifact [expiresAt]',
  'WebhookQueue [gate, turn]',
  'WebhookDelivery [eventId, workspaceId]',
  'Merchant [accountId, workspaceId, id]',
  'ChainPayment [chainId, authorizer, nonce]',
  'ChainPayment [chainId, state]',
  'ChainTransaction [chainId, relayer, nonce]',
  'ChainArrival [chainId, txHash, place]',
  'ChainArrival [chainId, state, blockNumber]',
];

/** Indexes and keys of scoped models begin with the workspace: a database distributed by it can hold each in one place. */
function indexes(files: readonly SourceFile[]): string[] {
  return modelsOf(files)
    .filter(isScoped)
    .flatMap(({ path, name, lines }) =>
      lines.flatMap((line) => {
        const list = /^@@(?:index|unique|id)\(\[([^\]]*)\]/.exec(line)?.[1];
        const single = /^(\w+)\s.*@(?:unique|id)\b(?!\()/.exec(line)?.[1];
        if (list !== undefined) return list.startsWith('workspaceId') ? [] : [[path, `${name} [${list}]`]];
        return single === undefined ? [] : [[path, `${name}.${single}`]];
      }),
    )
    .filter(([, index]) => !withoutWorkspace.includes(index ?? ''))
    .map(([path, index]) => `${path} ${index} does not begin with the workspace`);
}

/** Partial indexes for what is read across workspaces, for deliveries by their lane, and of workspaces themselves. */
const sqlWithoutWorkspace = [
  'agent_key_directory',
  'agent_key_thumbprint',
  'agent_token_ended',
  'approval_due',
  'batch_due',
  'breaker_look_due',
  'card_charge_due',
  'card_charge_lane',
  'card_instruction_due',
  'card_instruction_lane',
  'card_refund_due',
  'card_refund_lane',
  'cart_due',
  'checkout_due',
  'claim_expiry',
  'connection_expiry',
  'chain_arrival_due',
  'chain_payment_answered',
  'chain_payment_answered_open',
  'chain_transaction_open',
  'connector_order_due',
  'connector_order_open',
  'credential_ended',
  'credential_pending',
  'decision_old',
  'dispute_due',
  'funding_due',
  'funding_lane',
  'hold_old',
  'keyed_answer_default_expiry',
  'limit_crossing_due',
  'mail_due',
  'mandate_due',
  'member_email_anywhere',
  'member_place_pending',
  'member_place_tenant_id_idx',
  'mpp_session_due',
  'oauth_artifact_expiry',
  'oauth_artifact_waiting',
  'payout_due',
  'payout_lane',
  'quote_expiry',
  'rail_order_due',
  'reconciliation_report_due',
  'settlement_execution_due',
  'settlement_execution_lane',
  'settlement_reserve_due',
  'settlement_rule_due',
  'settlement_timer_due',
  'settlement_window_due',
  'slug_place_pending',
  'erasure_due',
  'event_ahead_id',
  'spend_minute_old',
  'stream_due',
  'task_due',
  'tenant_place_pending',
  'transfer_due',
  'webhook_delivery_due',
  'webhook_delivery_lane',
  'webhook_due',
  'workspace_moved',
  'x402_payment_due',
];

/** Those that the data model makes have these ends; `indexes` looks at them there. */
const ofDataModel = /_(idx|key)$/;

/** Indexes that migrations add by hand. */
function sqlIndexes(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.endsWith('.sql'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+) ON \w+ \((\w+)/gm)]
        .filter(
          ([, name = '', first]) =>
            first !== 'workspace_id' && first !== 'tenant_id' && !ofDataModel.test(name) && !sqlWithoutWorkspace.includes(name),
        )
        .map(([, name]) => `${path} index ${name} does not begin with the workspace`),
    );
}

function enums(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.endsWith('.prisma'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^enum (\w+) \{\n([\s\S]*?)^\}/gm)].flatMap(([, name = '', body = '']) =>
        body
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '' && !line.startsWith('@@') && !line.startsWith('//') && !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(line))
          .map((line) => `${path} ${name}.${line} is not spelled as on the wire`),
      ),
    );
}

function migrations(files: readonly SourceFile[]): string[] {
  const ours = files.filter(({ path }) => path.startsWith('prisma/migrations/'));
  const lock = ours.some(({ path, text }) => path === 'prisma/migrations/migration_lock.toml' && /provider = "postgresql"/.test(text));
  const wrong = ours
    .filter(({ path }) => path.endsWith('.sql') && !/^prisma\/migrations\/\d{14}_[a-z0-9]+(_[a-z0-9]+)*\/migration\.sql$/.test(path))
    .map(({ path }) => `${path} is not <time>_<what_changes>/migration.sql`);
  return lock ? wrong : [...wrong, 'prisma/migrations/migration_lock.toml is missing'];
}

/** What they make is for the time of an upgrade: the last of them drops it. */
const withOwnFunctions = /_(event_ahead|event_by_day)\/migration\.sql$/;

function functionsInMigrations(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      ({ path, text }) =>
        path.startsWith('prisma/migrations/') &&
        !withOwnFunctions.test(path) &&
        /^\s*CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|TRIGGER)\b/im.test(text),
    )
    .map(({ path }) => `${path} makes a function or a trigger: give it a file in prisma/functions`);
}

/** A column is spelled as its member in snake_case, a table as its model: rows by column are made by that rule (platform/postgres). */
function spelling(files: readonly SourceFile[]): string[] {
  return modelsOf(files).flatMap(({ path, name, lines }) => {
    const table = lines.flatMap((line) => /^@@map\("(\w+)"\)/.exec(line)?.[1] ?? [])[0];
    const columns = lines.flatMap((line) => {
      const [, member = '', mapped] = /^(\w+)\s+\w+(?:\[\]|\?)?(?=\s|$)(?:.*@map\("(\w+)"\))?/.exec(line) ?? [];
      if (member === '' || line.includes('@relation') || /^\w+\s+[A-Z]\w*\[\]\s*$/.test(line)) return [];
      return mapped !== undefined && mapped !== snakeCase(member)
        ? [`${path} ${name}.${member} must be the column ${snakeCase(member)}`]
        : [];
    });
    return table === snakeCase(name) ? columns : [`${path} ${name} must be the table ${snakeCase(name)}`, ...columns];
  });
}

/** Tables of the installation, which no workspace owns, and payments of a chain, which are followed by its signers. */
const ofInstallation =
  /\b(?:rail_state|rail_departure|rail_day|fence|chain_(?:payment|relayer|transaction|form|block|log|watch|treasury|address|arrival))\b/;

/** The client puts the workspace into what it is asked; here it is written by hand, and the tenant of what belongs to all its workspaces. */
const workspaceInStatements: Rule = (all) =>
  all
    .filter((file) => file.path.startsWith('src/') && file.path.endsWith('.sql.ts'))
    .flatMap(({ path, text }) =>
      [...codeOf(text, { strings: true }).matchAll(/`[^`]*\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^`]*`/g)]
        .filter(([statement]) => !statement.includes('workspace_id') && !statement.includes('tenant_id') && !ofInstallation.test(statement))
        .map(([statement]) => `${path}: ${statement.slice(0, 60)}`),
    );

const planted = (path: string, text: string): SourceFile => ({ path, text });
const model = (lines: string) => `model Planted {\n  id String @id @db.Uuid\n  workspaceId String\n${lines}\n}\n`;

export const schemaRules: Record<string, [Rule, SourceFile]> = {
  'references between scoped tables carry the workspace': [
    references,
    planted(
      'prisma/schema/planted.prisma',
      model('  wallet Wallet @relation(fields: [walletId], references: [id], onDelete: Restrict, onUpdate: Restrict)'),
    ),
  ],
  'indexes of scoped tables begin with the workspace': [indexes, planted('prisma/schema/planted.prisma', model('  @@index([status])'))],
  'indexes of migrations begin with the workspace': [
    sqlIndexes,
    planted('prisma/migrations/20990101000000_planted/migration.sql', 'CREATE INDEX planted ON wallet (status);\n'),
  ],
  'columns are spelled as their members, in snake_case': [
    spelling,
    planted('prisma/schema/planted.prisma', `${model('  ownerId String @map("owner")')}`.replace(/\n}\n$/, '\n  @@map("planted")\n}\n')),
  ],
  'enum values are spelled as on the wire': [enums, planted('prisma/schema/planted.prisma', 'enum Planted {\n  InProgress\n}\n')],
  'functions and triggers have files of their own': [
    functionsInMigrations,
    planted('prisma/migrations/20990101000000_planted/migration.sql', 'CREATE OR REPLACE FUNCTION planted() RETURNS int ...\n'),
  ],
  'migrations are named and whole': [migrations, planted('prisma/migrations/quick-fix.sql', 'SELECT 1;\n')],
  'every statement of a .sql.ts file names the workspace': [
    workspaceInStatements,
    planted('src/contexts/accounts/raw.sql.ts', 'export const read = `SELECT * FROM account WHERE id = $1`;'),
  ],
};
