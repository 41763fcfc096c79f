// What a person says when a program is connected: as which agent it acts, what it may do, the purse, and until when.
import { useId, useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { FormField } from '../form.js';
import { money } from '../format.js';

export type ConnectAnswer = Answers['ConnectRequest'];

/** The choice of an agent that is made with the connection. */
export const newAgent = 'new';

const pay = 'pay';

/** True for the choice that lets the program pay. */
export const wantsToPay = (choice: string) => choice === pay;

const periods = { day: 'Day', week: 'Week', month: 'Month', once: 'In all' } as const;
const lengths = { 1: 'One day', 7: 'One week', 30: '30 days', 90: '90 days' } as const;

interface SelectProps {
  name: string;
  label: string;
  values: Readonly<Record<string, string>>;
  /** Chosen at first; without it a person has to choose. */
  initial?: string;
  onChange?: (value: string) => void;
}

function SelectField({ name, label, values, initial, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} required onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
        {initial === undefined && <option value="">Choose …</option>}
        {Object.entries(values).map(([value, text]) => (
          <option key={value} value={value} selected={value === initial}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function NewAgent({ answer: { connectRequest } }: { answer: ConnectAnswer }) {
  const accounts = Object.fromEntries(connectRequest.accounts.map(({ id, name }) => [id, name]));
  return (
    <>
      <FormField name="name" label="Name of the new agent" initial={connectRequest.client.name} maxLength={200} />
      <SelectField name="account" label="It acts for" values={accounts} />
      <FormField name="agentCurrency" label="Currency of its wallet" initial="USD" maxLength={8} />
    </>
  );
}

const purseText = (amount: string, currency: string) => {
  try {
    return money(amount, currency.toUpperCase());
  } catch {
    return '…';
  }
};

/** What it will be able to do, in words. */
function Abilities({ isPaying, amount, currency, period }: { isPaying: boolean; amount: string; currency: string; period: string }) {
  const most = /^\d+(\.\d+)?$/.test(amount) ? purseText(amount, currency) : '…';
  const per = period === 'once' ? 'in all' : `per ${period}`;
  return (
    <div>
      <p>It will be able to:</p>
      <ul class="bullets" aria-live="polite">
        <li>read the wallets, limits, payments and tasks of the agent</li>
        {isPaying && (
          <li>
            <strong>
              pay up to {most} {per}
            </strong>{' '}
            from the wallets of the agent, by every protocol, and take on tasks
          </li>
        )}
        {isPaying && <li>ask for approvals, which people decide</li>}
      </ul>
    </div>
  );
}

/** The fields. Nothing is chosen beforehand that spends in production. */
export function ConnectFields({ answer }: { answer: ConnectAnswer }) {
  const { connectRequest, me } = answer;
  const asksToPay = connectRequest.scopes.includes('agent:act');
  const [scope, setScope] = useState(asksToPay && me.environment === 'test' ? pay : 'read');
  const [agent, setAgent] = useState('');
  const [purse, setPurse] = useState({ amount: '', currency: 'USD', period: 'month' });
  const isPaying = wantsToPay(scope);
  const agents = { ...Object.fromEntries(connectRequest.agents.map(({ id, name }) => [id, name])), [newAgent]: 'A new agent' };
  const note = ({ target }: Event) => {
    const { name, value } = target as HTMLInputElement;
    if (name in purse) setPurse({ ...purse, [name]: value });
  };
  return (
    <div class="fields" onInput={note}>
      <SelectField name="agent" label="It acts as the agent" values={agents} onChange={setAgent} />
      {agent === newAgent && <NewAgent answer={answer} />}
      {asksToPay && (
        <fieldset class="options">
          <legend>What it may do</legend>
          <label>
            <input type="radio" name="scope" value="read" checked={!isPaying} onChange={() => setScope('read')} /> Only read
          </label>
          <label>
            <input type="radio" name="scope" value={pay} checked={isPaying} onChange={() => setScope(pay)} /> Read and pay
          </label>
        </fieldset>
      )}
      {isPaying && (
        <div class="purse">
          <FormField name="amount" label="It spends at most" maxLength={40} />
          <FormField name="currency" label="Currency" initial="USD" maxLength={8} />
          <SelectField name="period" label="Per" values={periods} initial="month" />
        </div>
      )}
      <SelectField name="days" label="For" values={lengths} initial="30" />
      <Abilities isPaying={isPaying} {...purse} />
    </div>
  );
}
