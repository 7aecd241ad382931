import type { Migration } from "../../sqlite/migrate.ts";
import initial from "./0001-initial.sql" with { type: "text" };
import webhookDeliveries from "./0002-webhook-deliveries.sql" with { type: "text" };
import disabledDocuments from "./0003-disabled-documents.sql" with { type: "text" };
import changeCounter from "./0004-change-counter.sql" with { type: "text" };
import installationSecrets from "./0005-installation-secrets.sql" with { type: "text" };
import sessionDevices from "./0006-session-devices.sql" with { type: "text" };
import idempotency from "./0007-idempotency.sql" with { type: "text" };
import identity from "./0008-identity.sql" with { type: "text" };
import scopedKeys from "./0009-scoped-keys.sql" with { type: "text" };
import email from "./0010-email.sql" with { type: "text" };
import groups from "./0011-groups.sql" with { type: "text" };
import audit from "./0012-audit.sql" with { type: "text" };
import documentVisits from "./0013-document-visits.sql" with { type: "text" };
import shareKeys from "./0014-share-keys.sql" with { type: "text" };
import personalViews from "./0015-personal-views.sql" with { type: "text" };

/** All migrations of the home database, oldest first. A released migration is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: webhookDeliveries },
  { version: 3, sql: disabledDocuments },
  { version: 4, sql: changeCounter },
  { version: 5, sql: installationSecrets },
  { version: 6, sql: sessionDevices },
  { version: 7, sql: idempotency },
  { version: 8, sql: identity },
  { version: 9, sql: scopedKeys },
  { version: 10, sql: email },
  { version: 11, sql: groups },
  { version: 12, sql: audit },
  { version: 13, sql: documentVisits },
  { version: 14, sql: shareKeys },
  { version: 15, sql: personalViews },
];

/** The first version that has visits of documents: `visits.ts` works without them until then. */
export const VISITS_VERSION = 13;
/** The first version that has keys of published forms; until then no form can be published. */
export const SHARE_KEYS_VERSION = 14;
/** The first version that has personal views of sections; until then there are none. */
export const PERSONAL_VIEWS_VERSION = 15;

/**
 * The oldest version that this program can work with as it is: in a cluster, migrations wait until all nodes know the new
 * version. Raise it when the code needs a newer table or column.
 */
export const OLDEST_USABLE_VERSION = 12;
