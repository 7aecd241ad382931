import { openHomeDatabase, type HomeDatabase, type HomeOptions } from "./database.ts";
import { createCallers } from "./callers.ts";
import { createDeletedSites } from "./identity/deleted-sites.ts";
import { createDirectory } from "./identity/directory.ts";
import { createGroups } from "./identity/groups.ts";
import { createDocuments } from "./documents.ts";
import { createGrants } from "./grants.ts";
import { createAuditStore } from "./identity/audit-log.ts";
import { createEmails } from "./identity/emails.ts";
import { createInvitations } from "./identity/invitations.ts";
import { createInstallationId } from "./installation-id.ts";
import { createHomeAnswers } from "./idempotency.ts";
import { createIdentities } from "./identity/identities.ts";
import { createMemberships } from "./identity/memberships.ts";
import { createPasskeys } from "./identity/passkeys.ts";
import { createSecondFactors } from "./identity/second-factors.ts";
import { createUsedChallenges } from "./identity/used-challenges.ts";
import { createKeys } from "./api-keys.ts";
import { createOrgs } from "./orgs.ts";
import { createPasswords } from "./passwords.ts";
import { createPreferences } from "./preferences.ts";
import { createAccessLookups } from "./access-lookups.ts";
import { createSecrets } from "./secrets.ts";
import { createServiceAccounts } from "./service-accounts.ts";
import { createSessions } from "./sessions.ts";
import { createPersonalViews } from "./personal-views.ts";
import { createShareKeys } from "./share-keys.ts";
import { createTokens } from "./tokens.ts";
import { createUrlIds } from "./url-ids.ts";
import { createUserFacts } from "./identity/user-facts.ts";
import { createUsers } from "./users.ts";
import { createVisits } from "./visits.ts";
import { createWebhooks } from "./webhooks.ts";
import { createWorkspaces } from "./workspaces.ts";

export type { HomeOptions } from "./database.ts";

/**
 * Users, sites and access: one SQLite file, one store per noun. Synchronous. Stores do not check permissions; services
 * do.
 */
export interface Home extends HomeDatabase, Stores, Disposable {}

type Stores = ReturnType<typeof createStores>;

/** All stores, by noun. */
const createStores = (database: HomeDatabase) => ({
  users: createUsers(database),
  userFacts: createUserFacts(database),
  passwords: createPasswords(database),
  sessions: createSessions(database),
  tokens: createTokens(database),
  identities: createIdentities(database),
  secondFactors: createSecondFactors(database),
  passkeys: createPasskeys(database),
  usedChallenges: createUsedChallenges(database),
  invitations: createInvitations(database),
  emails: createEmails(database),
  keys: createKeys(database),
  callers: createCallers(database),
  serviceAccounts: createServiceAccounts(database),
  preferences: createPreferences(database),
  orgs: createOrgs(database),
  reach: createAccessLookups(database),
  workspaces: createWorkspaces(database),
  documents: createDocuments(database),
  visits: createVisits(database),
  shareKeys: createShareKeys(database),
  personalViews: createPersonalViews(database),
  urlIds: createUrlIds(database),
  grants: createGrants(database),
  groups: createGroups(database),
  memberships: createMemberships(database),
  directory: createDirectory(database),
  deletedSites: createDeletedSites(database),
  webhooks: createWebhooks(database),
  secrets: createSecrets(database),
  answers: createHomeAnswers(database),
  audit: createAuditStore(database),
  installationId: createInstallationId(database),
});

/**
 * Opens the home database of a data folder, creating both if necessary.
 * @throws AppError `unavailable` when a newer version of the program wrote the file
 */
export function openHome(folder: string, options: HomeOptions = {}): Home {
  const database = openHomeDatabase(folder, options);
  return { ...database, ...createStores(database), [Symbol.dispose]: database.close };
}
