import * as bodies from "../services/jobs/line-bodies.ts";
import type { JoinedLines, LineOptions, LineSpool } from "../services/jobs/line-bodies.ts";
import type { JobReport } from "../wire/tables/jobs.ts";
import { acceptsLines } from "./body.ts";
import type { Call } from "./call.ts";
import { jsonResponse } from "./responses.ts";
import { incomingUpload } from "./uploads.ts";

/** Writes the body of a request, one record per line, to a temporary file. @throws AppError as `LineSpool.receive` */
export const receiveLines = (call: Call): Promise<LineSpool> =>
  bodies.receiveLines(incomingUpload(call), { maxLineBytes: call.config.maxBody });

/** As `needsJob` of the services, with the limit of JSON bodies. */
export const needsJob = ({ config }: Call, spool: LineSpool, options: LineOptions): boolean =>
  bodies.needsJob(spool, { ...options, maxBytes: config.maxBody });

/** As `joinLines` of the services, within the memory for bodies. */
export function joinLines({ services, accounting, address }: Call, spool: LineSpool): Promise<JoinedLines> {
  services.bodyMemory.acquire(accounting.caller ?? address, spool.sizeBytes);
  accounting.bufferedBodyBytes += spool.sizeBytes;
  return bodies.joinLines(spool);
}

/** Returns the headers of a response with records, in the form that the client asks for. */
export const recordHeaders = (call: Call): Record<string, string> => ({
  ...(acceptsLines(call) && { "Content-Type": "application/x-ndjson; charset=utf-8" }),
  Vary: "Accept",
});

/** Returns the response for a job that has begun. */
export const acceptedResponse = (job: JobReport): Response =>
  jsonResponse(job, { status: 202, headers: { Location: `/api/jobs/${job.id}` } });
