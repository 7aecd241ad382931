/** Jobs of documents that are replaced or restored. */
import { describe, expect, test } from "bun:test";
import type { JobDefinition } from "../../src/hosts/verbs/jobs.ts";
import { guardDocument } from "../../src/services/access/guards.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { newJobId } from "../../src/services/jobs/job-ids.ts";
import { type Reply, type TestApp, testApp, USERS } from "../helpers/app.ts";
import { FULL, lines, lineTable, NDJSON } from "../helpers/record-lines.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

const jobPath = (job: Reply): string => `/o/docs/api/jobs/${job.body.id}`;

describe("when the document is", () => {
  test.each<[string, (at: TestApp, place: DocumentFixture, source: DocumentFixture) => Promise<unknown>]>([
    ["replaced", (at, { doc }, source) => at.must("POST", `${doc}/replace`, { sourceDocId: source.uuid })],
    [
      "restored",
      async (at, { doc }, source) => {
        await at.must("POST", `${doc}/replace`, { sourceDocId: source.uuid });
        const { snapshots } = await at.must<{ snapshots: { snapshotId: string }[] }>("GET", `${doc}/snapshots`);
        await at.must("POST", `${doc}/replace`, { snapshotId: snapshots[1]?.snapshotId });
      },
    ],
  ])("%s, its unfinished jobs fail, those that have ended stay, and new ones work", async (_, replace) => {
    await using other = await testApp();
    const [place, source] = [await createSharedFixture(other), await createSharedFixture(other)];
    const { doc } = place;
    const table = await lineTable(other, { doc });
    const raw = lines(FULL + 1).join("\n");
    const post = (to = table) => other.call("editor", "POST", `${to}/records`, undefined, { raw, headers: NDJSON });
    const get = async (job: Reply) => (await other.call("editor", "GET", jobPath(job))).body as { status: string };
    const completed = await post();
    await other.app.ctx.jobs.whenIdle();
    const before = await get(completed);
    expect(before).toMatchObject({ status: "completed" });
    await other.app.ctx.jobs.stop();
    const waiting = await post();
    expect(await get(waiting)).toMatchObject({ status: "waiting" });
    await replace(other, place, source);
    expect(await get(completed)).toEqual(before);
    expect(await get(waiting)).toMatchObject({
      status: "failed",
      processed: 0,
      endedAt: expect.any(String),
      errors: [{ line: null, code: "document.replaced" }],
    });
    // Other users still see nothing of it.
    expect((await other.call("owner", "GET", jobPath(waiting))).status).toBe(404);
    const again = await post(await lineTable(other, { doc }));
    expect(await get(again)).toMatchObject({ status: "waiting" });
  });

  test("replaced while the lines of a job arrive, the rest is refused", async () => {
    await using other = await testApp();
    const [place, source] = [await createSharedFixture(other), await createSharedFixture(other)];
    const { ctx } = other.app;
    const table = await lineTable(other, place);
    const owner = actorForCommand(ctx, USERS.owner.email);
    const grant = guardDocument(ctx, owner, { kind: "personal" }, place.uuid, "owners");
    const id = newJobId();
    const definition: JobDefinition = {
      table: table.split("/").at(-1) ?? "",
      method: "add",
      query: { noparse: false },
      onError: "stop",
      atomic: false,
      lines: 1,
      keyId: null,
      request: { origin: null, linkKey: {} },
    };
    await ctx.documents.call(grant, "jobs.add", { id, definition });
    await other.must("POST", `${place.doc}/replace`, { sourceDocId: source.uuid });
    const part = { id, part: 1, firstLine: 1, lines: new Uint8Array() };
    expect(ctx.documents.call(grant, "jobs.addPart", part)).rejects.toMatchObject({ reason: "job.not_found" });
  });
});
