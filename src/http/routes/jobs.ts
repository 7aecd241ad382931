import { cancelJob, describeJob, listJobs } from "../../services/jobs/jobs.ts";
import { DocParams } from "../../wire/common/params.ts";
import { JobParams, JobReport, Jobs } from "../../wire/tables/jobs.ts";
import { documentContentAccess, jobAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { route, type Route } from "../route.ts";

const tag = "jobs";

/** Routes of jobs, which write many records. */
export const jobRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/jobs",
      id: "listJobs",
      tag,
      summary: "List your jobs in a document",
      about: "Jobs that have not ended, or ended in the last 24 hours, newest first. Other users do not see them.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: Jobs,
    },
    async ({ ctx, grant }) => jsonResponse({ jobs: await listJobs(ctx, grant) }),
  ),
  route(
    {
      method: "get",
      path: "/api/jobs/{jobId}",
      id: "describeJob",
      tag,
      summary: "Get a job",
      about: "Its progress, and the errors of its lines.",
      access: jobAccess,
      params: JobParams,
      response: JobReport,
    },
    async ({ ctx, grant: { document, id } }) => jsonResponse(await describeJob(ctx, document, id)),
  ),
  route(
    {
      method: "delete",
      path: "/api/jobs/{jobId}",
      id: "cancelJob",
      tag,
      summary: "Cancel a job",
      about: "Lines that are committed stay; the response says which. A job that has ended does not change.",
      access: jobAccess,
      params: JobParams,
      response: JobReport,
    },
    async ({ ctx, grant: { document, id } }) => jsonResponse(await cancelJob(ctx, document, id)),
  ),
];
