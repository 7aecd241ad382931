import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import {
  ADD,
  createTarget,
  formWith,
  isReplay,
  newKey,
  type Sent,
  sendWithKey,
  type Target,
} from "../helpers/idempotency.ts";
import { NDJSON } from "../helpers/record-lines.ts";

let server: TestApp;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Everything that requests may change, except for the times of last changes. */
async function everything({ site, doc, shelf }: Target): Promise<unknown> {
  const found: unknown[] = [];
  for (const path of [
    `${doc}/states`,
    `${doc}/tables`,
    `${doc}/webhooks`,
    `${doc}/access`,
    `${site}/workspaces`,
    shelf,
  ]) {
    const { status, body } = await server.call("owner", "GET", path);
    found.push([status, JSON.parse(JSON.stringify(body).replaceAll(/"updatedAt":"[^"]*"/g, '"updatedAt":""'))]);
  }
  return found;
}

describe("a repeated request gets the first answer, and changes nothing", () => {
  const CASES: Readonly<Record<string, Sent>> = {
    "records: add": ADD,
    "records: add, returned": { ...ADD, path: ({ table }) => `${table}/records?return=records` },
    "records: modify": {
      method: "PATCH",
      path: ({ table }) => `${table}/records`,
      body: () => ({ records: [{ id: 1, fields: { A: "changed" } }] }),
    },
    "records: add or update": {
      method: "PUT",
      path: ({ table }) => `${table}/records`,
      body: () => ({ records: [{ require: { A: "three" }, fields: { B: "b" } }] }),
    },
    "records: delete": { path: ({ table }) => `${table}/records/delete`, body: () => [1] },
    "record: modify": {
      method: "PATCH",
      path: ({ table }) => `${table}/records/1`,
      body: () => ({ fields: { A: "x" } }),
    },
    "record: delete": { method: "DELETE", path: ({ table }) => `${table}/records/1` },
    "data: add": { path: ({ table }) => `${table}/data`, body: () => ({ A: ["three", "four"] }) },
    batch: {
      path: ({ doc }) => `${doc}/batch`,
      body: () => ({ operations: [{ op: "add", table: "Table1", records: [{ fields: { A: "b" } }] }] }),
    },
    apply: { path: ({ doc }) => `${doc}/apply`, body: () => [["AddRecord", "Table1", null, { A: "x" }]] },
    "tables: add": {
      path: ({ doc }) => `${doc}/tables`,
      body: () => ({ tables: [{ id: "Other", columns: [{ id: "A" }] }] }),
    },
    "table: delete": { method: "DELETE", path: ({ table }) => table },
    "columns: add": { path: ({ table }) => `${table}/columns`, body: () => ({ columns: [{ id: "D" }] }) },
    "column: delete": { method: "DELETE", path: ({ table }) => `${table}/columns/C` },
    "states: restore": { path: ({ doc }) => `${doc}/states/1/restore` },
    "states: retention": { method: "PUT", path: ({ doc }) => `${doc}/states/retention`, body: () => ({ states: 5 }) },
    "states: remove": { path: ({ doc }) => `${doc}/states/remove`, body: () => ({ keep: 1 }) },
    "lines in one transaction": {
      path: ({ table }) => `${table}/records`,
      options: () => ({ raw: `{"A":"l1"}\n{"A":"l2"}\n`, headers: NDJSON }),
    },
    "lines in a job": {
      path: ({ table }) => `${table}/records?onError=skip`,
      options: () => ({ raw: `{"A":"l1"}\n{"A":"l2"}\n`, headers: NDJSON }),
      status: 202,
    },
    "attachments: upload, with another boundary": { path: ({ doc }) => `${doc}/attachments`, options: formWith("abc") },
    "attachments: mark unused": { path: ({ doc }) => `${doc}/attachments/updateUsed` },
    "attachments: remove unused": { path: ({ doc }) => `${doc}/attachments/removeUnused` },
    "attachments: choose a store": {
      path: ({ doc }) => `${doc}/attachments/store`,
      body: () => ({ type: "internal" }),
    },
    "import of tables": { path: ({ doc }) => `${doc}/import`, options: formWith("City,Count\nBern,1\n", "towns.csv") },
    "import as a document": {
      path: ({ shelf }) => `${shelf}/import?report=1`,
      options: formWith("City,Count\nBern,1\n", "towns.csv"),
    },
    "document: create": { path: ({ shelf }) => `${shelf}/docs`, body: () => ({ name: "Second" }) },
    "document: make": {
      path: () => "/o/docs/api/docs",
      body: ({ shelfId }) => ({ workspaceId: String(shelfId), documentName: "Third" }),
    },
    "document: copy": {
      path: ({ doc }) => `${doc}/copy`,
      body: ({ shelfId }) => ({ workspaceId: shelfId, documentName: "Copy" }),
    },
    "document: rename": { method: "PATCH", path: ({ doc }) => doc, body: () => ({ name: "Renamed" }) },
    "document: share": {
      method: "PATCH",
      path: ({ doc }) => `${doc}/access`,
      body: () => ({ delta: { users: { "new@example.com": "viewers" } } }),
    },
    "document: pin": { method: "PATCH", path: ({ doc }) => `${doc}/pin` },
    "document: move to the trash": { path: ({ doc }) => `${doc}/remove` },
    "document: delete": { method: "DELETE", path: ({ doc }) => doc },
    "document: delete from the trash": { path: ({ doc }) => `${doc}/remove?permanent=1` },
    "workspace: create": { path: ({ site }) => `${site}/workspaces`, body: () => ({ name: "Other shelf" }) },
    "workspace: delete": { method: "DELETE", path: ({ shelf }) => shelf },
    "workspace: delete permanently": { path: ({ shelf }) => `${shelf}/remove?permanent=1` },
    "site: create": { path: () => "/o/docs/api/orgs", body: () => ({ name: "Site" }) },
    "site: delete": { method: "DELETE", path: ({ site }) => `${site}/force-delete` },
    "profile: name": { path: () => "/o/docs/api/profile/user/name", body: () => ({ name: "Olga Owner" }) },
    "webhooks: create": {
      path: ({ doc }) => `${doc}/webhooks`,
      body: () => ({
        webhooks: [{ fields: { url: "https://example.com/hook", eventTypes: ["add"], tableId: "Table1" } }],
      }),
    },
    "webhooks: clear": { method: "DELETE", path: ({ doc }) => `${doc}/webhooks/queue` },
    "upload for an import": { path: ({ doc }) => `${doc}/uploads`, options: formWith("A,B\n1,2\n", "a.csv") },
    flush: { path: ({ doc }) => `${doc}/flush` },
    "timing: start": { path: ({ doc }) => `${doc}/timing/start` },
    "refused: column": { ...ADD, body: () => ({ records: [{ fields: { Nope: 1 } }] }), status: 400 },
    "refused: table": { ...ADD, path: ({ doc }) => `${doc}/tables/Nope/records`, status: 404 },
    "refused: JSON": { ...ADD, options: () => ({ raw: "{" }), status: 400 },
    "refused: line": {
      path: ({ table }) => `${table}/records`,
      options: () => ({ raw: `{"Nope":1}\n`, headers: NDJSON }),
      status: 400,
    },
    "refused: query": { ...ADD, path: ({ table }) => `${table}/records?return=all`, status: 400 },
    "refused: home": { path: ({ site }) => `${site}/workspaces`, body: () => ({ nam: "x" }), status: 400 },
    "refused: transaction of home": {
      method: "DELETE",
      path: ({ site }) => `${site}/wrong-name`,
      status: 400,
    },
    "refused: upload": {
      path: ({ doc }) => `${doc}/attachments`,
      options: () => ({ raw: new FormData() }),
      status: 400,
    },
  };
  for (const [name, sent] of Object.entries(CASES)) {
    test(name, async () => {
      const at = await createTarget(server);
      const key = newKey();
      const before = await everything(at);
      const first = await sendWithKey(server, at, sent, { key });
      expect([first.status, isReplay(first)]).toEqual([sent.status ?? 200, false]);
      await server.app.ctx.jobs.whenIdle();
      const after = await everything(at);
      for (const _ of [1, 2]) {
        const { status, body, headers } = await sendWithKey(server, at, sent, { key });
        expect({ status, body, isReplay: isReplay({ headers }) }).toEqual({
          status: first.status,
          body: first.body,
          isReplay: true,
        });
        for (const header of ["content-type", "location"]) expect(headers.get(header)).toBe(first.headers.get(header));
      }
      await server.app.ctx.jobs.whenIdle();
      expect(await everything(at)).toEqual(after);
      if (first.status >= 400) expect(after).toEqual(before);
    });
  }
});
