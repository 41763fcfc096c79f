// Requests for readers of openapi.json.

const exampleWallet = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';

export const examples = {
  ofCreate: {
    currency: 'usd',
    line_items: [{ id: 'mug' }],
    capabilities: {},
    buyer: { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' },
    fulfillment_details: {
      name: 'Ada Byron',
      address: { name: 'Ada Byron', line_one: '1 Main St', city: 'Springfield', state: 'IL', country: 'US', postal_code: '62701' },
    },
  },
  ofUpdate: { selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard', item_ids: ['mug'] }] },
  ofComplete: {
    payment_data: { handler_id: 'wallet', instrument: { type: 'wallet', credential: { type: 'wallet_id', token: exampleWallet } } },
  },
  ofCancel: { intent_trace: { reason_code: 'shipping_cost', trace_summary: 'Delivery costs as much as the mug.' } },
};
