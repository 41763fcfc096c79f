// What the console asks about merchants and their shops.
import { paging } from './operation-part.js';

export const shopOperations = {
  Merchants: `query Merchants($status: MerchantStatus, $category: String, $after: Cursor) {
    merchants(limit: 50, status: $status, category: $category, after: $after) {
      nodes { id name category status url shopHosts account { id name } createdAt }
      ${paging}
    }
  }`,

  Merchant: `query Merchant($id: MerchantId!) {
    merchant(id: $id) {
      id
      name
      category
      status
      url
      metadata
      acceptsBuyerPrices
      shopHosts
      account { id name }
      settlementWallet { id name }
      warnings { code message }
      createdAt
    }
  }`,

  UpdateMerchant: `mutation UpdateMerchant($id: MerchantId!, $input: UpdateMerchantInput!) {
    updateMerchant(id: $id, input: $input) { id }
  }`,
};
