// /console/connect/{uid}: a person answers a program that wants to be connected. What the program says of itself is shown as text.
import { useEffect, useState } from 'preact/hooks';
import type { Variables } from '../answers.js';
import { ask, newIdempotencyKey } from '../api.js';
import { FormError, type ReadField, SubmitButton, useSubmission } from '../form.js';
import { opens } from '../me.js';
import { States } from '../panel.js';
import { useQuery } from '../query.js';
import { session } from '../session.js';
import { type ConnectAnswer, ConnectFields, newAgent, wantsToPay } from './connect-field.js';

type Input = Variables['GrantConnection']['input'];

const day = 86_400;

/** What was filled in. */
function inputOf(read: ReadField): Input {
  const isNew = read('agent') === newAgent;
  const currency = read('currency').trim().toUpperCase();
  const isPaying = wantsToPay(read('scope'));
  return {
    ...(isNew
      ? { agent: { name: read('name').trim(), parentAccountId: read('account'), currency: read('agentCurrency').trim().toUpperCase() } }
      : { agentId: read('agent') }),
    scopes: isPaying ? ['agent:read', 'agent:act'] : ['agent:read'],
    ...(isPaying && {
      budget: { amount: read('amount').trim(), currency, period: read('period') } as NonNullable<Input['budget']>,
    }),
    expiresIn: Number(read('days')) * day,
  };
}

/** Where the answer goes, in letters that nobody overlooks, and who says so. */
function Who({ request: { client, redirectHost, isLoopback } }: { request: ConnectAnswer['connectRequest'] }) {
  return (
    <dl class="consent">
      <div>
        <dt>It calls itself</dt>
        <dd class="address">{client.name}</dd>
      </div>
      <div>
        <dt>The answer goes to</dt>
        <dd class="value">{isLoopback ? 'a program on this computer' : redirectHost}</dd>
      </div>
      <div>
        <dt>Who says so</dt>
        <dd>
          {client.kind === 'registered'
            ? 'This program registered itself; nobody vouches for its name.'
            : `A document at ${client.host} says so.`}
        </dd>
      </div>
    </dl>
  );
}

function Answer({ uid, answer, onDone }: { uid: string; answer: ConnectAnswer; onDone: (text: string) => void }) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const leave = (to: string, text: string) => {
    onDone(text);
    location.assign(to);
  };
  const submission = useSubmission(async (read) => {
    const { grantConnection } = await ask('GrantConnection', { uid, input: inputOf(read) }, { idempotencyKey });
    leave(grantConnection.redirectTo, 'The program is connected. Go back to it; you may close this page.');
  });
  const denial = useSubmission(async () => {
    const { denyConnection } = await ask('DenyConnection', { uid });
    leave(denyConnection.redirectTo, 'The program is not connected. You may close this page.');
  });
  const isAllowed = opens(answer.me.scopes, 'connections:write');
  return (
    <>
      {isAllowed ? (
        <form id="consent" onSubmit={submission.submit}>
          <ConnectFields answer={answer} />
          <FormError submission={submission} />
        </form>
      ) : (
        <p class="banner">Your role does not connect programs. Ask an owner or somebody of finance to do it.</p>
      )}
      <form class="buttons" onSubmit={denial.submit}>
        {isAllowed && (
          <button type="submit" form="consent" class="primary" aria-disabled={submission.isBusy}>
            {submission.isBusy ? 'Working …' : 'Allow'}
          </button>
        )}
        <SubmitButton submission={denial} isPlain>
          Deny
        </SubmitButton>
      </form>
      {denial.error !== '' && <FormError submission={denial} />}
    </>
  );
}

function Question({ uid }: { uid: string }) {
  const asked = useQuery('ConnectRequest', { uid });
  const [done, setDone] = useState<string>();
  const { data, error } = asked;
  if (done !== undefined) return <p role="status">{done}</p>;
  if (error?.code === 'not_found')
    return (
      <p class="banner" role="status">
        There is nothing to answer here: it was answered, its time is over, or another browser began it. Begin again in the program.
      </p>
    );
  return (
    <States asked={asked} what="what the program asks for" isLoaded={data !== undefined}>
      {data !== undefined && (
        <>
          <Who request={data.connectRequest} />
          <Answer uid={uid} answer={data} onDone={setDone} />
        </>
      )}
    </States>
  );
}

/** The page. */
export function Connect({ uid }: { uid: string }) {
  const current = session.current;
  useEffect(() => {
    document.title = 'Connect a program · Agent Payments';
  }, []);
  const isTest = current?.environment === 'test';
  return (
    <main class="sign-in" id="main">
      <div class="box wide">
        <header class="toolbar">
          <h1>Connect a program?</h1>
          <span class={isTest ? 'environment test' : 'environment live'}>{isTest ? 'Test · sandbox' : 'Live · production'}</span>
        </header>
        {current?.token === undefined ? (
          <Question uid={uid} />
        ) : (
          <>
            <p class="banner">Only a person connects a program, and you are signed in with an API key.</p>
            <button type="button" onClick={() => session.end('Sign in as a person to connect the program.')}>
              Sign in as a person
            </button>
          </>
        )}
      </div>
    </main>
  );
}
