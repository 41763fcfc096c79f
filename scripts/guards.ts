// Prints the guards of tables whose rows are made once and change little: a trigger for each, which refuses what never changes.
// Columns are compared one by one, for these tables are written by payments. A guard that knows more than this stands in a file of its own.

interface Guard {
  table: string;
  /** What a row is called in messages. */
  noun: string;
  /** What the comment and the refusal say of the frozen columns. */
  frozenIs?: string;
  /** Columns that never change. */
  frozen?: string;
  /** Columns that are set once. */
  once?: string;
  /** The statuses that a row leaves freely. From any other it takes only the steps of `steps`. */
  open?: readonly string[];
  steps?: Readonly<Record<string, string>>;
  /** Columns that stay from the first status that is not open. */
  settled?: string;
  /** The column of a time from which on nothing changes. */
  end?: string;
  /** It has columns among these that are erased with whom they belong to. */
  isErased?: true;
}

const guards: readonly Guard[] = [
  { table: 'approval', noun: 'approval', open: ['pending'] },
  {
    table: 'payout',
    noun: 'payout',
    frozenIs: 'the amount and the parties',
    frozen: 'id workspace_id transfer_id wallet_id amount fee currency rail created_at',
    open: ['pending', 'confirmed'],
    steps: { complete: 'returned' },
  },
  {
    table: 'funding_transaction',
    noun: 'funding transaction',
    frozenIs: 'the amount and the parties',
    frozen: 'id workspace_id transfer_id wallet_id amount fee currency rail created_at',
    open: ['pending'],
    once: 'returned_at',
  },
  {
    table: 'card_charge',
    noun: 'card charge',
    frozenIs: 'the amount and the parties',
    frozen: 'id workspace_id transfer_id card_id merchant_id wallet_id subject_type subject_id amount fee currency rail created_at',
    open: ['pending'],
    once: 'returned_at',
  },
  {
    table: 'card_refund',
    noun: 'card refund',
    frozenIs: 'the amount and the parties',
    frozen: 'id workspace_id transfer_id charge_id amount currency rail created_at',
    open: ['pending'],
    once: 'returned_at',
  },
  {
    table: 'card_verification',
    noun: 'card verification',
    frozenIs: 'the result',
    frozen:
      'id workspace_id agent_id network rejection_reason rejection_details nonce_hash merchant_ref amount currency description created_at expires_at kept_until',
    once: 'instruction_id',
    isErased: true,
  },
  {
    table: 'vaulted_card',
    noun: 'vaulted card',
    frozenIs: 'the owner and the number',
    frozen: 'id workspace_id account_id agent_id processor card_last_four created_at',
    end: 'deleted_at',
    isErased: true,
  },
  {
    table: 'x402_endpoint',
    noun: 'x402 endpoint',
    frozenIs: 'the account and the currency',
    frozen: 'workspace_id id account_id currency created_at',
    end: 'deleted_at',
    isErased: true,
  },
  {
    table: 'x402_payment',
    noun: 'x402 payment',
    frozenIs: 'the parties',
    frozen: 'workspace_id id endpoint_id wallet_id payer_wallet pay_to currency network asset scheme protocol nonce created_at',
    open: ['pending'],
    // A chain may take a payment back until its money was credited; a constraint keeps the others.
    steps: { settled: 'failed' },
    settled: 'amount',
    once: 'consumed_at credited_at',
  },
];

/** The files of the guards below prisma/functions, by path. */
export function printGuards(): Record<string, string> {
  return Object.fromEntries(guards.map((guard) => [`prisma/functions/guard_${guard.table}.sql`, printGuard(guard)]));
}

function printGuard(guard: Guard): string {
  const { table, noun, frozen, frozenIs, once, open, steps = {}, settled, end, isErased } = guard;
  const says = [
    frozenIs && `${frozenIs} never change`,
    end && `nothing changes after ${end}`,
    once && `${words(once).join(', ')} is set once`,
    open && 'a final status stays',
    isErased && 'it is erased with whom it belongs to',
  ].filter(Boolean);
  const checks = [
    frozen &&
      refusal(`${row('NEW', frozen)}\n     IS DISTINCT FROM ${row('OLD', frozen)}`, `${frozenIs} of this ${noun} never change`, noun),
    end && refusal(`OLD.${end} IS NOT NULL AND NEW IS DISTINCT FROM OLD`, 'nothing of it changes any more', noun),
    ...words(once).map((column) =>
      refusal(`OLD.${column} IS NOT NULL AND NEW.${column} IS DISTINCT FROM OLD.${column}`, `${column} is set once`, noun),
    ),
    open && refusal(leaves(open, steps), 'its status is final', noun),
    settled &&
      refusal(
        `OLD.status NOT IN (${list(open ?? [])}) AND ${row('NEW', settled)} IS DISTINCT FROM ${row('OLD', settled)}`,
        `${words(settled).join(', ')} is settled`,
        noun,
      ),
  ].filter(Boolean);
  return [
    `-- Printed by scripts/guards.ts. Of each ${noun}: ${says.join('; ')}.`,
    `CREATE OR REPLACE FUNCTION guard_${table}() RETURNS trigger LANGUAGE plpgsql AS $$`,
    'BEGIN',
    ...(isErased ? [erasing] : []),
    ...checks,
    '  RETURN NEW;',
    'END $$;',
    `CREATE OR REPLACE TRIGGER guard BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION guard_${table}();`,
    '',
  ].join('\n');
}

/** Nothing is asked of a row that is erased. */
const erasing = [
  "  IF current_setting('platform.erasing', true) <> '' THEN",
  '    IF erases(to_jsonb(OLD), to_jsonb(NEW)) THEN',
  '      RETURN NEW;',
  '    END IF;',
  '  END IF;',
].join('\n');

const words = (text = '') => text.split(' ').filter(Boolean);
const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const row = (record: 'NEW' | 'OLD', columns: string) =>
  `(${words(columns)
    .map((column) => `${record}.${column}`)
    .join(', ')})`;

function leaves(open: readonly string[], steps: Readonly<Record<string, string>>): string {
  const taken = Object.entries(steps).map(([from, to]) => `('${from}', '${to}')`);
  const but = taken.length === 0 ? '' : ` AND (OLD.status, NEW.status) NOT IN (${taken.join(', ')})`;
  return `NEW.status <> OLD.status AND OLD.status NOT IN (${list(open)})${but}`;
}

function refusal(condition: string, message: string, noun: string): string {
  return `  IF ${condition} THEN\n    RAISE EXCEPTION '${noun} %: ${message}', OLD.id USING ERRCODE = 'AP010';\n  END IF;`;
}
