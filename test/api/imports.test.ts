import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { createDocumentFixture, runSteps, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let file: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  server = await testApp({ flags: { "max-upload": "1MB" } });
  place = await createDocumentFixture(server);
  const path = join(tempFolder(), "made.grist");
  createDocumentFile(path);
  file = new Uint8Array(readFileSync(path));
});
afterAll(() => server[Symbol.asyncDispose]());

type Part = string | { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> | string };

function form(parts: Record<string, Part>): FormData {
  const data = new FormData();
  for (const [field, part] of Object.entries(parts)) {
    data.append(field, typeof part === "string" ? part : new File([part.bytes], part.name));
  }
  return data;
}

const send = (as: Caller, path: string, parts: Record<string, Part>) =>
  server.call(as, "POST", path, undefined, { raw: form(parts) });

/** Returns the state that a refused import must not change: folders of documents, temporary files, listings. */
async function everything(): Promise<unknown> {
  const { docs } = await server.must<{ docs: unknown[] }>("GET", place.shelf);
  return [readdirSync(join(server.folder, "docs")).length, readdirSync(join(server.folder, "tmp")), docs.length];
}

const DOC = () => ({ name: "Budget 2026.grist", bytes: file });

describe("into a workspace", () => {
  test("a document file becomes a document owned by the caller", async () => {
    const { status, body } = await send("owner", `${place.shelf}/import`, { upload: DOC() });
    expect([status, body]).toEqual([200, { id: expect.any(String), title: "Budget 2026" }]);
    await runSteps(server, [
      ["owner", "GET", `/o/docs/api/docs/${body.id}`, undefined, 200, { name: "Budget 2026", access: "owners" }],
      ["owner", "GET", `/o/docs/api/docs/${body.id}/tables`, undefined, 200, { tables: [{ id: "Table1" }] }],
      ["stranger", "GET", `/o/docs/api/docs/${body.id}`, undefined, 403],
    ]);
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
  });

  test("documentName sets its name", async () => {
    const { body } = await send("owner", `${place.shelf}/import`, { upload: DOC(), documentName: "Plan" });
    expect(body.title).toBe("Budget 2026");
    await runSteps(server, [["owner", "GET", `/o/docs/api/docs/${body.id}`, undefined, 200, { name: "Plan" }]]);
  });

  test("an import cancelled by a disconnect leaves nothing behind", async () => {
    const before = await everything();
    for (const [path, more] of [
      [`${place.shelf}/import`, {}],
      ["/api/docs", { workspaceId: String(place.shelfId) }],
    ] as const) {
      const work = new AbortController();
      const answer = server.app.handle(
        new Request(`http://quern.test${path}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${server.keys.owner}`, "X-Requested-With": "XMLHttpRequest" },
          body: form({ ...more, upload: DOC() }),
          signal: work.signal,
        }),
      );
      work.abort();
      expect([path, (await answer).status]).toEqual([path, 503]);
      expect(await everything()).toEqual(before);
    }
  });

  const text = (bytes: string, name = "x.grist") => ({ upload: { name, bytes } });
  const refused: [as: Caller, path: string, parts: Record<string, Part>, status: number][] = [
    ["owner", "shelf", {}, 400],
    ["owner", "shelf", { documentName: "Nothing" }, 400],
    ["owner", "shelf", { uploadId: "12" }, 404],
    ["owner", "shelf", { other: { name: "x.grist", bytes: "x" } }, 400],
    ["owner", "shelf", text("not a database"), 400],
    ["owner", "shelf", text(""), 400],
    ["owner", "shelf", text(`SQLite format 3\0${"x".repeat(5000)}`), 400],
    ["owner", "shelf", text("x".repeat(1_100_000)), 413],
    ["owner", "/o/docs/api/workspaces/99999", text("x"), 404],
    ["owner", "/o/docs/api/workspaces/many", text("x"), 400],
    ["stranger", "shelf", text("x"), 403],
    ["anon", "shelf", text("x"), 403],
    ["badkey", "shelf", text("x"), 401],
  ];
  test.each(refused)("%s into %s: %j → %i, and leaves nothing behind", async (as, path, parts, status) => {
    const before = await everything();
    const reply = await send(as, `${path === "shelf" ? place.shelf : path}/import`, parts);
    expect([reply.status, typeof reply.body.error]).toEqual([status, "string"]);
    expect(await everything()).toEqual(before);
  });

  test("JSON may name an upload; other bodies that are not forms are refused", async () => {
    await runSteps(server, [
      ["owner", "POST", `${place.shelf}/import`, { uploadId: 3 }, 404],
      ["owner", "POST", `${place.shelf}/import`, {}, 400],
      ["owner", "POST", `${place.shelf}/import`, undefined, 400],
    ]);
    const headers = { "Content-Type": "text/csv" };
    const reply = await server.call("owner", "POST", `${place.shelf}/import`, undefined, { raw: "a,b", headers });
    expect(reply.status).toBe(415);
  });

  test("a workspace in the trash accepts nothing", async () => {
    const { shelf } = await createDocumentFixture(server);
    await server.must("POST", `${shelf}/remove`);
    const before = await everything();
    expect((await send("owner", `${shelf}/import`, { upload: DOC() })).status).toBe(400);
    expect(await everything()).toEqual(before);
  });
});

describe("by POST /api/docs", () => {
  test("the form names the workspace", async () => {
    await server.must("PATCH", `${place.shelf}/access`, { delta: { users: { [USERS.editor.email]: "editors" } } });
    const workspaceId = String(place.shelfId);
    const { status, body } = await send("editor", "/o/docs/api/docs", { upload: DOC(), workspaceId });
    expect([status, typeof body]).toEqual([200, "string"]);
    await runSteps(server, [
      ["editor", "GET", `/o/docs/api/docs/${body}`, undefined, 200, { name: "Budget 2026", access: "owners" }],
    ]);
  });

  const refused: [as: Caller, parts: Record<string, Part>, status: number][] = [
    ["owner", { workspaceId: "shelf" }, 400],
    ["owner", { upload: { name: "x", bytes: "x" } }, 400],
    ["owner", { upload: { name: "x", bytes: "x" }, workspaceId: "many" }, 400],
    ["owner", { upload: { name: "x", bytes: "x" }, workspaceId: "99999" }, 404],
    ["owner", { upload: { name: "x", bytes: "x" }, workspaceId: "shelf" }, 400],
    ["stranger", { upload: { name: "x", bytes: "x" }, workspaceId: "shelf" }, 403],
    ["anon", { upload: { name: "x", bytes: "x" }, workspaceId: "shelf" }, 403],
  ];
  test.each(refused)("%s %j → %i, and leaves nothing behind", async (as, parts, status) => {
    const before = await everything();
    const whole = parts["workspaceId"] === "shelf" ? { ...parts, workspaceId: String(place.shelfId) } : parts;
    const reply = await send(as, "/o/docs/api/docs", whole);
    expect([reply.status, typeof reply.body.error]).toEqual([status, "string"]);
    expect(await everything()).toEqual(before);
  });

  test("JSON that names no workspace is refused", async () => {
    await runSteps(server, [
      ["owner", "POST", "/api/docs", {}, 400],
      ["owner", "POST", "/api/docs", undefined, 400],
      ["owner", "POST", "/api/docs", [], 400],
      ["anon", "POST", "/api/docs", { workspaceId: place.shelfId }, 403],
    ]);
  });
});

test("number formats of a workbook survive an import, into a new document and into new columns", async () => {
  const looks = {
    Price: { numMode: "currency", currency: "EUR", decimals: 2 },
    Share: { numMode: "percent", decimals: 1 },
    Weight: { numMode: "decimal", decimals: 2 },
  };
  const dateFormat = "DD.MM.YYYY";
  const { body: doc } = await server.call("owner", "POST", `${place.shelf}/docs`, { name: "Formats" });
  const columns = [
    ...Object.entries(looks).map(([id, options]) => ({ id, type: "Numeric", options })),
    { id: "Due", type: "Date", options: { dateFormat } },
    { id: "At", type: "DateTime:UTC", options: { dateFormat, timeFormat: "HH:mm" } },
    { id: "Note", type: "Text", options: {} },
  ];
  await server.must("POST", `/o/docs/api/docs/${doc}/tables`, {
    tables: [
      {
        id: "Goods",
        columns: columns.map(({ id, type, options }) => ({
          id,
          fields: { type, widgetOptions: JSON.stringify(options) },
        })),
      },
    ],
  });
  await server.must("POST", `/o/docs/api/docs/${doc}/tables/Goods/records`, {
    records: [{ fields: { Price: 1234.5, Share: 0.125, Weight: 1000, Due: 86_400, At: 3600, Note: "x" } }],
  });
  const url = `http://quern.test/o/docs/api/docs/${doc}/download/xlsx?tableId=Goods`;
  const headers = { Authorization: `Bearer ${server.keys.owner}`, Host: "quern.test" };
  const response = await server.app.handle(new Request(url, { headers }));
  const upload = { name: "Goods.xlsx", bytes: new Uint8Array(await response.arrayBuffer()) };
  const optionsOf = async (id: string): Promise<unknown[]> => {
    const { columns: found } = await server.must<{ columns: { id: string; fields: { widgetOptions: string } }[] }>(
      "GET",
      `/o/docs/api/docs/${id}/tables/Goods/columns`,
    );
    return ["Price", "Share", "Weight", "Due", "At", "Note"].map((name) => {
      const text = found.find((column) => column.id === name)?.fields.widgetOptions ?? "";
      return text === "" ? null : (JSON.parse(text) as unknown);
    });
  };
  const expected = [
    { ...looks.Price, maxDecimals: 2 },
    { ...looks.Share, maxDecimals: 1 },
    { ...looks.Weight, maxDecimals: 3 },
    { dateFormat, isCustomDateFormat: true },
    { dateFormat, isCustomDateFormat: true, timeFormat: "HH:mm", isCustomTimeFormat: false },
    null,
  ];
  const { body: made } = await send("owner", `${place.shelf}/import`, { upload });
  expect(await optionsOf(made.id)).toEqual(expected);
  // Into a table that has some of the columns: those keep their formats, the others take the file's.
  const { body: other } = await server.call("owner", "POST", `${place.shelf}/docs`, { name: "More" });
  await server.must("POST", `/o/docs/api/docs/${other}/tables`, {
    tables: [{ id: "Goods", columns: [{ id: "Price", fields: { type: "Numeric" } }] }],
  });
  const added = await send("owner", `/o/docs/api/docs/${other}/import?table=Goods&addColumns=1`, { upload });
  expect(added.status).toBe(200);
  expect(await optionsOf(other)).toEqual([null, ...expected.slice(1)]);
});
