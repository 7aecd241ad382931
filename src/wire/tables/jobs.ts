import { z } from "../common/schema.ts";
import { flag } from "../common/query.ts";
import { time } from "../common/fields.ts";

/** Jobs: writes of many lines. */

export const JobParams = z.object({
  jobId: z.string().min(1).max(100).openapi({
    description: "The job's id.",
    example: "8sWmRYLLf7Zb5ZAkwQCYTp-4dRkBqW9mLs2XvTn7HcEyA",
  }),
});

const atomic = flag(
  "With `application/x-ndjson`: write all lines, at most 100,000, in one transaction, or none. Default: false.",
);

/** Query parameters of writes that accept one record per line. */
export const lineOptions = {
  onError: z
    .enum(["stop", "skip"])
    .optional()
    .openapi({
      description:
        "With `application/x-ndjson`: what a line that cannot be applied does. `stop` (default) ends the write; the lines " +
        "before it stay applied if they are more than 1,000. `skip` leaves it out, and the job lists its error.",
      example: "stop",
    }),
  atomic,
};

const LineError = z
  .object({
    line: z
      .int()
      .nullable()
      .openapi({ description: "Number of the line in the body, from 1; null for the whole job." }),
    code: z.string().openapi({ description: "As `details.code` of refusals.", example: "column.unknown" }),
    error: z.string().openapi({ example: 'Invalid column "Pirce"' }),
  })
  .openapi("LineError");

export const JobReport = z
  .object({
    id: z.string().openapi({ example: "8sWmRYLLf7Zb5ZAkwQCYTp-4dRkBqW9mLs2XvTn7HcEyA" }),
    docId: z.string().openapi({ description: "The document's UUID." }),
    tableId: z.string().openapi({ description: "The table, as in the request.", example: "Orders" }),
    method: z.enum(["add", "upsert"]),
    status: z.enum(["waiting", "running", "completed", "failed", "cancelled"]),
    atomic: z.boolean(),
    onError: z.enum(["stop", "skip"]),
    lines: z.int().openapi({ description: "Number of lines, without blank ones.", example: 250_000 }),
    processed: z.int().openapi({ description: "Lines that are done: committed or skipped.", example: 31_000 }),
    skipped: z.int().openapi({ description: "Lines that were skipped because of an error.", example: 0 }),
    lastLine: z.int().openapi({ description: "Number of the last line that is done; 0 if none is.", example: 31_000 }),
    errors: z
      .array(LineError)
      .openapi({ description: "Errors of the first 1,000 skipped lines, and the one that ended the job." }),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .openapi("Job");
export type JobReport = z.infer<typeof JobReport>;

export const Jobs = z.object({ jobs: z.array(JobReport) }).openapi("Jobs");
