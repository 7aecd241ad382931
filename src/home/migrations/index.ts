import type { Migration } from "../../sqlite/migrate.ts";
import initial from "./0001-initial.sql" with { type: "text" };
import webhookDeliveries from "./0002-webhook-deliveries.sql" with { type: "text" };
import disabledDocuments from "./0003-disabled-documents.sql" with { type: "text" };

/** All migrations of the home database, oldest first. A released migration is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: webhookDeliveries },
  { version: 3, sql: disabledDocuments },
];
