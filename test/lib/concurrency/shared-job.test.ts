import { expect, test } from "bun:test";
import { SharedJob } from "../../../src/lib/concurrency/shared-job.ts";

test("has no progress before the first report, then the last one", () => {
  const job = new SharedJob();
  expect(job.progress).toBeNull();
  job.report("reading", 10, null);
  expect(job.progress).toEqual({ step: "reading", done: 10, total: null });
  job.report("writing", 2 ** 40, 2 ** 41);
  expect(job.progress).toEqual({ step: "writing", done: 2 ** 40, total: 2 ** 41 });
});

test("is the same job wherever its memory is", () => {
  const job = new SharedJob();
  const other = new SharedJob(job.memory);
  job.cancel();
  other.report("writing", 3, null);
  expect([other.isCancelled, job.progress]).toEqual([true, { step: "writing", done: 3, total: null }]);
});
