import { cancelAnyJob, listAllJobs, retryJob } from "../../../services/administration/jobs/jobs.ts";
import { AdminJobParams, AdminJobs } from "../../../wire/administration/admin-jobs.ts";
import { NullResponse } from "../../../wire/common/null-response.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

const tag = "jobs";
const further = { 400: "The job is of a kind that does not allow this.", 404: "The job does not exist, or has ended." };

/** Routes of all background jobs, for administrators. */
export const adminJobRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/jobs",
      id: "listAllJobs",
      tag,
      summary: "List the background jobs of the installation",
      about:
        "Jobs that run, wait or have failed: writes of many records, imports, queues of webhooks, messages, the backup and transfers of attachments.",
      access: adminAccess,
      // The owner of home has imports, messages and backups.
      requestClass: "home",
      response: AdminJobs,
    },
    async ({ ctx, grant }) => {
      const { jobs, isPartial } = await listAllJobs(ctx, grant);
      return jsonResponse({ jobs, isPartial });
    },
  ),
  route(
    {
      method: "post",
      path: "/api/jobs/{jobId}/cancel",
      id: "cancelAnyJob",
      tag,
      summary: "Cancel a background job of any user",
      about: "For `lines`, `import` and `email`. Records that are committed stay.",
      access: adminAccess,
      params: AdminJobParams,
      idempotency: "ignored",
      response: NullResponse,
      further,
    },
    async ({ ctx, grant, params }) => {
      await cancelAnyJob(ctx, grant, params.jobId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: "/api/jobs/{jobId}/retry",
      id: "retryJob",
      tag,
      summary: "Make the next attempt of a background job due now",
      about: "For `email` and `backup`.",
      access: adminAccess,
      params: AdminJobParams,
      idempotency: "ignored",
      response: NullResponse,
      further,
    },
    ({ ctx, grant, params }) => {
      retryJob(ctx, grant, params.jobId);
      return jsonResponse(null);
    },
  ),
];
