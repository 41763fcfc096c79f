// What carts are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { cartLifecycle, closeCart, expireCart } from './cart.js';

export const cart = defineNoun({
  id: { kind: 'cart', prefix: 'cart', wire: 'prefixed' },
  scope: 'checkouts:read',
  table: 'cart',
  lifecycle: cartLifecycle,
  due: { concurrency: 4, run: expireCart },
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.cart.findMany({ where: { status: 'active' }, ...newestRows(most) }),
      end: (ctx, { id }) => closeCart(ctx, id),
    }),
  ],
});
