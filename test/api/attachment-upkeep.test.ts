/** Attachments that have been unused for 7 days are removed when a document is reloaded or closed. */
import { expect, test } from "bun:test";
import { silentLog } from "../../src/lib/observability/log.ts";
import { removeExpired } from "../../src/services/attachments/attachment-cleanup.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { upload } from "../helpers/attachments.ts";
import { DAY, TestClock } from "../helpers/clock.ts";

/** Creates a document with attachments 1 and 2, of which 1 is in a cell. */
async function filled(server: TestApp): Promise<string> {
  const { doc } = await sampleDocument(server);
  const path = `/api/docs/${doc}`;
  await upload(server, { doc, files: ["a", "b"].map((name) => ({ name: `${name}.txt`, content: name.repeat(2000) })) });
  const columns = [{ id: "Files", fields: { type: "Attachments" } }];
  await server.must("POST", `${path}/tables`, { tables: [{ id: "Things", columns }] });
  await server.must("POST", `${path}/tables/Things/records`, { records: [{ fields: { Files: ["L", 1] } }] });
  return path;
}

const listed = async (server: TestApp, path: string, query = ""): Promise<number[]> => {
  const { records } = await server.must<{ records: { id: number }[] }>("GET", `${path}/attachments${query}`);
  return records.map(({ id }) => id);
};

test("force-reload removes only attachments that were unused for 7 days", async () => {
  const clock = new TestClock();
  await using server = await testApp({ clock, flags: { "attachments-inside": "1KB" } });
  const path = await filled(server);
  await server.must("POST", `${path}/force-reload`);
  clock.pass(6 * DAY);
  await server.must("POST", `${path}/force-reload`);
  expect(await listed(server, path)).toEqual([1, 2]);
  clock.pass(DAY);
  await server.must("POST", `${path}/force-reload`);
  expect(await listed(server, path)).toEqual([1]);
  expect((await server.call("owner", "GET", `${path}/attachments/1/download`)).body).toBe("a".repeat(2000));
});

test("attachments stay while the document is in the trash, and after the system clock was changed", async () => {
  const clock = new TestClock();
  await using server = await testApp({ clock });
  const path = await filled(server);
  await server.must("POST", `${path}/attachments/updateUsed`);
  clock.jump(3650 * DAY);
  await server.must("POST", `${path}/force-reload`);
  expect(await listed(server, path)).toEqual([1, 2]);
  clock.pass(2 * DAY);
  await server.must("POST", `${path}/remove`);
  await server.must("POST", `${path}/force-reload?showRemoved=1`);
  expect(await listed(server, path, "?showRemoved=1")).toEqual([1, 2]);
  await server.must("POST", `${path}/unremove`);
  await server.must("POST", `${path}/force-reload`);
  expect(await listed(server, path)).toEqual([1]);
});

test("a document closed for being idle loses attachments that were unused for 7 days", async () => {
  const { promise: looked, resolve } = Promise.withResolvers<undefined>();
  const debug = (event: string) => void (event === "attachments.sweep" && resolve(undefined));
  const log = { ...silentLog, debug };
  await using server = await testApp({ log, flags: { "doc-idle-ms": "1000" } });
  const path = await filled(server);
  const timeDeleted = Math.floor(Date.now() / 1000) - 8 * 86_400;
  await server.must("POST", `${path}/apply`, [["UpdateRecord", "_grist_Attachments", 2, { timeDeleted }]]);
  await looked;
  expect(await listed(server, path)).toEqual([1]);
});

test("a document whose attachments cannot be queried is left unchanged", async () => {
  const warnings: string[] = [];
  await using server = await testApp({ log: { ...silentLog, warn: (event) => void warnings.push(event) } });
  const path = await filled(server);
  const uuid = path.split("/").at(-1) ?? "";
  const { ctx } = server.app;
  const documents = { ...ctx.documents, call: () => Promise.reject(new Error("no")) };
  await removeExpired({ ...ctx, documents }, uuid);
  // A slow machine warns of slow requests, too.
  expect(warnings.filter((event) => event !== "http.request")).toEqual(["attachments.sweep_failed"]);
  await removeExpired(ctx, "00000000-0000-4000-8000-000000000000");
  expect(await listed(server, path)).toEqual([1, 2]);
});
