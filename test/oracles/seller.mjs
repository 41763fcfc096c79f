// A stock seller: Express with the middleware of x402, which asks the facilitator of FACILITATOR with the key of KEY, and is paid at PAY_TO.
// It prints its port.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';

const { FACILITATOR: url, KEY: key, PAY_TO: payTo, NETWORK: network } = process.env;
const headers = { Authorization: `Bearer ${key}` };
const createAuthHeaders = async () => ({ verify: headers, settle: headers, supported: headers });
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url, createAuthHeaders })).register(network, new ExactEvmScheme());
const app = express();
const accepts = { scheme: 'exact', price: '$0.10', network, payTo };
app.use(paymentMiddleware({ 'GET /weather': { accepts, description: 'Weather' } }, resources));
app.get('/weather', (_request, response) => response.json({ weather: 'sunny' }));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
