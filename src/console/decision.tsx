// What the pipeline said of a spend: the outcome, and the checks that led to it with their figures.
import type { Answers } from './answers.js';
import { amount, words } from './format.js';
import { useNames } from './names.js';
import { Status } from './status.js';
import { Table } from './table.js';

type DecisionData = Answers['Decision']['decision'];
type Check = DecisionData['leadingChecks'][number];

/** The limit of a check in words, such as `At most 60.00 USD per month`. */
function limitText({ limit }: Pick<Check, 'limit'>): string {
  if (limit === null) return '–';
  const { max, amount: most, currency, per, window, count } = limit as Record<string, string | number | null | undefined>;
  const figure = max ?? most ?? count;
  if (figure === null || figure === undefined) return '–';
  const time = per ?? window;
  return [
    amount(String(figure)),
    currency,
    time === null || time === undefined || time === 'tx' ? '' : `per ${words(String(time)).toLowerCase()}`,
  ]
    .filter(Boolean)
    .join(' ');
}

const layers: Readonly<Record<string, string>> = { kya: 'KYA tier' };
const layerName = (layer: string) => layers[layer] ?? words(layer);

/** An outcome with its checks. */
export function Decision({ decision: { outcome, message, leadingChecks } }: { decision: Omit<DecisionData, 'evaluatedAt'> }) {
  const nameOf = useNames();
  // What no rule limits and lets pass tells nobody anything.
  const telling = leadingChecks.filter(({ outcome: is, limit }) => is !== 'skipped' && (is !== 'pass' || limit !== null));
  return (
    <>
      <p>
        <Status is={outcome} /> {message}
      </p>
      {telling.length > 0 && (
        <Table
          caption="Checks"
          rows={telling}
          keyOf={({ layer, ruleId, limit }) => `${layer} ${ruleId} ${JSON.stringify(limit)}`}
          columns={[
            {
              label: 'Check',
              render: ({ layer, ruleId, message: why }) => (
                <>
                  {layerName(layer)}
                  {layer === 'budget' && ruleId !== null && `: ${nameOf(ruleId)}`}
                  {why !== null && <span class="soft block">{why}</span>}
                </>
              ),
            },
            { label: 'Result', render: ({ outcome: is }) => <Status is={is} /> },
            { label: 'Limit', isFigure: true, render: (check) => limitText(check) },
            { label: 'Used before', isFigure: true, render: ({ used }) => (used === null ? '–' : amount(used)) },
            { label: 'Left', isFigure: true, render: ({ remaining }) => (remaining === null ? '–' : amount(remaining)) },
          ]}
        />
      )}
    </>
  );
}
