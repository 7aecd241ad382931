/** Lifetime of uploads, and the time limit of imports. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { USERS, sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { MINUTE, TestTimers } from "../helpers/clock.ts";
import { eventually } from "../helpers/server-process.ts";

const temporary = ({ folder }: TestApp): string[] => readdirSync(join(folder, "tmp"));

function form(name: string, text: string): FormData {
  const data = new FormData();
  data.append("upload", new File([text], name));
  return data;
}

async function upload(server: TestApp, doc: string): Promise<number> {
  const raw = form("rows.csv", "n\n1\n");
  const { status, body } = await server.call("owner", "POST", `/api/docs/${doc}/uploads`, undefined, { raw });
  expect(status).toBe(200);
  return (body as { uploadId: number }).uploadId;
}

test("expired uploads are removed without any further request", async () => {
  const timers = new TestTimers();
  await using server = await testApp({ timers, clock: timers.clock });
  const { doc } = await sampleDocument(server);
  await upload(server, doc);
  for (let i = 0; i < 59; i++) timers.pass(MINUTE);
  expect(temporary(server)).toHaveLength(1);
  await upload(server, doc);
  timers.pass(2 * MINUTE);
  expect(await eventually(() => temporary(server).length === 1)).toBe(true);
  // The second one still exists, and expires later.
  const isGone = () => {
    timers.pass(MINUTE);
    return temporary(server).length === 0;
  };
  expect(await eventually(isGone)).toBe(true);
});

test("an upload in use when it expires is removed afterwards", async () => {
  const timers = new TestTimers();
  await using server = await testApp({ timers, clock: timers.clock });
  const { doc } = await sampleDocument(server);
  const { ctx } = server.app;
  const actor = actorForCommand(ctx, USERS.owner.email);
  const id = await upload(server, doc);
  {
    await using file = ctx.uploads.acquire(actor, id, new AbortController().signal);
    timers.pass(60 * MINUTE);
    timers.pass(MINUTE);
    expect(() => ctx.uploads.acquire(actor, id, new AbortController().signal)).toThrow("Upload not found");
    expect(await Bun.file(file.path).text()).toBe("n\n1\n");
  }
  expect(temporary(server)).toEqual([]);
});

test("an import that exceeds QUERN_JOB_TIME_S is ended with 400 and leaves nothing behind", async () => {
  await using server = await testApp({ flags: { "job-time-s": "1" } });
  const { doc, workspaceId } = await sampleDocument(server);
  const docs = readdirSync(join(server.folder, "docs"));
  const row = `${Array.from({ length: 40 }, (_, i) => `cell ${i} of "many"`).join(",")}\n`;
  const raw = () => form("long.csv", row.repeat(100_000));
  for (const path of [`/api/workspaces/${workspaceId}/import`, `/api/docs/${doc}/import`]) {
    const { status, body } = await server.call("owner", "POST", path, undefined, { raw: raw() });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("QUERN_JOB_TIME_S") },
    });
  }
  expect(await eventually(() => temporary(server).length === 0)).toBe(true);
  expect(readdirSync(join(server.folder, "docs"))).toEqual(docs);
  // Takes a second even on a busy machine.
  const isImported = async () => {
    const raw = form("a.csv", "n\n1\n");
    return (await server.call("owner", "POST", `/api/docs/${doc}/import`, undefined, { raw })).status === 200;
  };
  expect(await eventually(isImported)).toBe(true);
});
