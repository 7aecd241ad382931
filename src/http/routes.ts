/** All routes of the API, by resource. */
import { adminJobRoutes } from "./routes/administration/admin-jobs.ts";
import { groupRoutes } from "./routes/administration/groups.ts";
import { signInRoutes } from "./routes/administration/sign-in.ts";
import { auditRoutes } from "./routes/audit/audit.ts";
import type { Route } from "./route.ts";
import { aggregateRoutes } from "./routes/aggregate.ts";
import { applyRoutes } from "./routes/apply.ts";
import { attachmentRoutes } from "./routes/attachments.ts";
import { attachmentStoreRoutes } from "./routes/attachment-stores.ts";
import { batchRoutes } from "./routes/batch.ts";
import { columnRoutes } from "./routes/columns.ts";
import { dataRoutes } from "./routes/data.ts";
import { documentRoutes } from "./routes/documents.ts";
import { downloadRoutes } from "./routes/downloads.ts";
import { emailRoutes } from "./routes/email/email.ts";
import { invitationRoutes } from "./routes/email/invitations.ts";
import { eventRoutes } from "./routes/events.ts";
import { answerRoutes } from "./routes/forms/answers.ts";
import { formRoutes } from "./routes/forms/forms.ts";
import { formulaErrorRoutes } from "./routes/formula-errors.ts";
import { whyRoutes } from "./routes/cells/why.ts";
import { markdownRoutes } from "./routes/cells/markdown.ts";
import { historyRoutes } from "./routes/history.ts";
import { restoreRoutes } from "./routes/undo/restore-cells.ts";
import { undoRoutes } from "./routes/undo/undo-changes.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import { importRoutes } from "./routes/imports.ts";
import { oneRecordRoutes } from "./routes/one-record.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { liveRecordRoutes } from "./routes/live/live-records.ts";
import { orgRoutes } from "./routes/orgs.ts";
import { personalViewRoutes } from "./routes/personal-views.ts";
import { profileRoutes } from "./routes/profile.ts";
import { matchingChangeRoutes } from "./routes/matching-changes.ts";
import { recordRoutes } from "./routes/records.ts";
import { scimRoutes } from "./routes/scim/routes.ts";
import { schemaFileRoutes } from "./routes/schema/schema-file.ts";
import { searchRoutes } from "./routes/search.ts";
import { secondFactorRoutes } from "./routes/second-factor.ts";
import { serviceAccountRoutes } from "./routes/service-accounts.ts";
import { sessionRoutes } from "./routes/session.ts";
import { snapshotRoutes } from "./routes/snapshots.ts";
import { queryRoutes } from "./routes/queries.ts";
import { sqlRoutes } from "./routes/sql.ts";
import { tableRoutes } from "./routes/tables.ts";
import { timingRoutes } from "./routes/timing.ts";
import { typeRoutes } from "./routes/types.ts";
import { usageRoutes } from "./routes/usage.ts";
import { userRoutes } from "./routes/users.ts";
import { tokenRoutes } from "./end-users/token-routes.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { workspaceRoutes } from "./routes/workspaces.ts";

export const routes: readonly Route[] = [
  ...orgRoutes,
  ...workspaceRoutes,
  ...documentRoutes,
  ...importRoutes,
  ...uploadRoutes,
  ...tableRoutes,
  ...columnRoutes,
  ...typeRoutes,
  ...schemaFileRoutes,
  ...recordRoutes,
  ...matchingChangeRoutes,
  // Before the route with a row id in the same position.
  ...liveRecordRoutes,
  ...oneRecordRoutes,
  ...aggregateRoutes,
  ...searchRoutes,
  ...dataRoutes,
  ...jobRoutes,
  ...applyRoutes,
  ...batchRoutes,
  // Before the routes with a number in the same position.
  ...attachmentStoreRoutes,
  ...attachmentRoutes,
  ...historyRoutes,
  ...undoRoutes,
  ...restoreRoutes,
  ...snapshotRoutes,
  ...eventRoutes,
  ...formRoutes,
  ...answerRoutes,
  ...formulaErrorRoutes,
  ...whyRoutes,
  ...markdownRoutes,
  ...timingRoutes,
  ...usageRoutes,
  ...downloadRoutes,
  ...sqlRoutes,
  ...queryRoutes,
  ...personalViewRoutes,
  ...webhookRoutes,
  ...tokenRoutes,
  ...profileRoutes,
  ...secondFactorRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...emailRoutes,
  ...invitationRoutes,
  ...serviceAccountRoutes,
  ...scimRoutes,
  ...auditRoutes,
  ...adminJobRoutes,
  ...groupRoutes,
  ...signInRoutes,
];
