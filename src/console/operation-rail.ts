// What the console asks about rails of production: how each stands, and its switch.

const rail = `
  rail
  currency
  kind
  status
  reason
  fee
  limits { perOrder perDay perDayCount }
  health { ok since problems { check found fix stops } }
  usedToday { amount count }
  open { count amount oldestAt }
`;

export const railOperations = {
  Rails: `query Rails {
    rails { ${rail} }
  }`,

  Rail: `query Rail($rail: String!) {
    rail(rail: $rail) { ${rail} network expectedSeconds directions balances { where amount unit } }
  }`,

  RailProof: `query RailProof($rail: String!) {
    railProof(rail: $rail) {
      currency
      at { block time }
      outside { where amount }
      ledger
      inFlight
      difference
      explained { reason amount count newest }
    }
  }`,

  SwitchRail: `mutation SwitchRail($rail: String!, $input: SwitchRailInput!) {
    switchRail(rail: $rail, input: $input) { id rail to inFlight }
  }`,
} as const;
