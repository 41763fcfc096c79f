// What the server says of itself, in every revision of the protocol.

export const serverInfo = { name: 'agent-payments', title: 'Agent Payments', version: '1.0.0' };

export const capabilities = { tools: { listChanged: true } };

export const instructions = `Payments for software agents. Call whoami first: it says who you are, what your wallets have and what is left of your limits.
Amounts are decimal text. What is refused says why in \`code\`, and in \`details.next_actions\` what would help and who can do it: do not try the same call again unless \`details.retry\` says so, and then with its \`idempotency_key\` if it names one.
A payment that needs an approval is not paid yet: wait_for_approval tells when a person has decided.
The tools that are listed are those that you can use now; the list changes with your limits.`;
