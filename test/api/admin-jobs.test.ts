/** All background jobs, as administrators see them. */
import { describe, expect, test } from "bun:test";
import { inviteUser } from "../../src/services/invitations/invitations.ts";
import type { AdminJob } from "../../src/services/administration/jobs/jobs.ts";
import { type Caller, sampleDocument, type TestApp, testApp, USERS } from "../helpers/app.ts";
import { grantOf } from "../helpers/users.ts";

const SECRET = "Ultramarine";

/** A server whose `viewer` is an administrator without a role on the owner's document. */
async function withAdministrator(flags: Record<string, string> = {}): Promise<TestApp & { doc: string }> {
  const server = await testApp({ flags });
  const { users } = server.app.ctx.home;
  users.change(users.byEmail(USERS.viewer.email)?.id ?? 0, { isAdmin: true });
  const { doc } = await sampleDocument(server);
  return { ...server, doc };
}

async function listed({ call }: TestApp): Promise<readonly AdminJob[]> {
  const { status, body } = await call("viewer", "GET", "/api/jobs");
  expect(status).toBe(200);
  return (body as { jobs: AdminJob[] }).jobs;
}

/** Sends lines of which the last one is refused. */
const sendLines = ({ call, doc }: TestApp & { doc: string }) =>
  call("owner", "POST", `/api/docs/${doc}/tables/Table1/records`, undefined, {
    raw: [...Array.from({ length: 1200 }, (_, n) => JSON.stringify({ A: n })), JSON.stringify({ [SECRET]: 1 })].join(
      "\n",
    ),
    headers: { "Content-Type": "application/x-ndjson" },
  });

describe("GET /api/jobs", () => {
  test("lists a failed write with its document and user, and nothing of its content", async () => {
    await using server = await withAdministrator();
    expect(await listed(server)).toEqual([]);
    expect((await sendLines(server)).status).toBe(202);
    await server.app.ctx.jobs.whenIdle();
    const jobs = await listed(server);
    expect(jobs).toMatchObject([
      {
        kind: "lines",
        state: "failed",
        document: { uuid: server.doc, name: "Sample" },
        user: USERS.owner.email,
        error: "column.unknown",
        progress: { total: 1201 },
        canCancel: false,
      },
    ]);
    expect(JSON.stringify(jobs)).not.toContain(SECRET);
    expect(JSON.stringify(jobs)).not.toContain("Table1");
  });

  test("lists the queue of a webhook by its host alone", async () => {
    await using server = await withAdministrator({ "webhook-allow": "127.0.0.1" });
    const { call, doc, app } = server;
    const url = `http://127.0.0.1:9/hook?key=${SECRET}`;
    const fields = { url, eventTypes: ["add"], tableId: "Table1", name: SECRET };
    await call("owner", "POST", `/api/docs/${doc}/webhooks`, { webhooks: [{ fields }] });
    await call("owner", "POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: SECRET } }] });
    app.ctx.webhooks.start();
    app.ctx.webhooks.wake(doc);
    await app.ctx.webhooks.whenIdle();
    const jobs = await listed(server);
    expect(jobs).toMatchObject([{ kind: "webhook", subject: "127.0.0.1:9", document: { name: "Sample" } }]);
    expect(jobs[0]?.progress).toEqual({ done: 0, total: 1 });
    expect(JSON.stringify(jobs)).not.toContain(SECRET);
  });

  test("lists messages, retries one and cancels it, which the audit log records", async () => {
    await using server = await withAdministrator({
      "smtp-url": "smtp://127.0.0.1:9",
      "email-from": "quern@example.com",
      "public-url": "https://quern.example.com",
    });
    const { call, app } = server;
    inviteUser(app.ctx, grantOf(app.ctx, USERS.viewer.email), { email: "new@example.com" });
    const [job] = await listed(server);
    expect(job).toMatchObject({ kind: "email", subject: "new@example.com", canCancel: true, canRetry: true });
    app.ctx.home.emails.recordFailure(1, { attempts: 3, nextAttemptAt: 9e12, error: "refused" });
    expect(await listed(server)).toMatchObject([{ state: "retrying", attempts: 3, error: "refused" }]);
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/retry`)).status).toBe(200);
    expect(app.ctx.home.emails.nextAttemptAt()).toBeLessThan(9e12);
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/cancel`)).status).toBe(200);
    expect(await listed(server)).toEqual([]);
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/cancel`)).status).toBe(404);
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/retry`)).status).toBe(404);
    const { entries } = (await call("viewer", "GET", "/api/audit?event=job.cancelled")).body;
    expect(entries).toMatchObject([{ actor: USERS.viewer.email, details: { kind: "email" } }]);
  });

  test("cancels a write of another user that waits", async () => {
    await using server = await withAdministrator();
    const { call, app, doc } = server;
    // The document in the trash: its jobs wait.
    await app.ctx.jobs.stop();
    expect((await sendLines(server)).status).toBe(202);
    const [job] = await listed(server);
    expect(job).toMatchObject({ kind: "lines", state: "waiting", canCancel: true });
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/cancel`)).status).toBe(200);
    expect(await listed(server)).toMatchObject([{ state: "cancelled", canCancel: false }]);
    expect((await call("viewer", "POST", `/api/jobs/${job?.id}/cancel`)).status).toBe(404);
    const { jobs } = (await call("owner", "GET", `/api/docs/${doc}/jobs`)).body;
    expect(jobs).toMatchObject([{ status: "cancelled" }]);
  });

  test("refuses other kinds, unknown jobs, and all other callers alike", async () => {
    await using server = await withAdministrator();
    const { call, doc } = server;
    expect((await call("viewer", "POST", "/api/jobs/backup/retry")).status).toBe(400);
    expect((await call("viewer", "POST", `/api/jobs/webhook-${doc}-x/cancel`)).status).toBe(400);
    for (const id of ["email-1", "email-x", "import-1", "lines-x", `lines-${doc}-x`])
      expect([id, (await call("viewer", "POST", `/api/jobs/${id}/cancel`)).status]).toEqual([id, 404]);
    await sendLines(server);
    await server.app.ctx.jobs.whenIdle();
    const [job] = await listed(server);
    for (const as of ["stranger", "owner", "anon"] as const satisfies readonly Caller[]) {
      const status = as === "anon" ? 401 : 403;
      expect((await call(as, "GET", "/api/jobs")).status).toBe(status);
      for (const action of ["cancel", "retry"]) {
        const known = await call(as, "POST", `/api/jobs/${job?.id}/${action}`);
        const unknown = await call(as, "POST", `/api/jobs/email-9/${action}`);
        expect([known.status, known.body]).toEqual([status, unknown.body]);
      }
    }
  });
});
