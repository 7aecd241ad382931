import type { Webhooks } from "../../../wire/webhooks/webhooks.ts";

export type Webhook = Webhooks["webhooks"][number];

export interface WebhookTable {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly { readonly id: string; readonly label: string; readonly type: string }[];
}

/** Data embedded in the webhooks page for its script. */
export interface WebhooksPageData {
  readonly docId: string;
  readonly webhooks: readonly Webhook[];
  readonly tables: readonly WebhookTable[];
}
