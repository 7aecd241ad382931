import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../src/sqlite/database.ts";
import { USERS, sampleDocument, testApp, type Sample, type TestApp } from "../helpers/app.ts";
import { type SentFile, upload } from "../helpers/attachments.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { S3_ACCESS, S3_BUCKET, startS3Server, type S3Server } from "../helpers/s3.ts";
import { runSteps } from "../helpers/request-steps.ts";

let server: TestApp;
let s3: S3Server;
beforeAll(async () => {
  s3 = startS3Server();
  const { accessKeyId, secretAccessKey } = S3_ACCESS;
  server = await testApp({
    flags: {
      "attachments-inside": "1KB",
      "max-parallel": "0",
      "s3-endpoint": s3.endpoint,
      "s3-bucket": S3_BUCKET,
      "s3-access-key": accessKeyId,
      "s3-secret-key": secretAccessKey,
      "s3-prefix": "test/",
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  s3[Symbol.dispose]();
});

const LARGE = "large ".repeat(1000);
const FILES: SentFile[] = [
  { name: "small.txt", content: "small" },
  { name: "large.txt", content: LARGE },
];

/** Creates a document with a small and a large attachment, each in a cell. */
async function filled(): Promise<Sample> {
  const sample = await sampleDocument(server);
  expect((await upload(server, { doc: sample.doc, files: FILES })).body).toEqual([1, 2]);
  await server.must("POST", `/api/docs/${sample.doc}/tables`, {
    tables: [{ id: "Things", columns: [{ id: "Files", fields: { type: "Attachments" } }] }],
  });
  await server.must("POST", `/api/docs/${sample.doc}/tables/Things/records`, {
    records: [{ fields: { Files: ["L", 1, 2] } }],
  });
  return sample;
}

const at = (doc: string, path = ""): string => `/api/docs/${doc}/attachments${path}`;
const folderOf = (doc: string): string => join(server.folder, "docs", doc, "attachments");
const beside = (doc: string): string[] => (existsSync(folderOf(doc)) ? readdirSync(folderOf(doc)) : []);
const inBucket = (doc: string): string[] => [...s3.objects.keys()].filter((key) => key.startsWith(`test/${doc}/`));
const contents = async (doc: string): Promise<unknown[]> => {
  const replies = await Promise.all([1, 2].map((id) => server.call("owner", "GET", at(doc, `/${id}/download`))));
  return replies.map(({ status, body }) => (status === 200 ? (body as string).slice(0, 12) : status));
};
const WHOLE = ["small", LARGE.slice(0, 12)];

/** Transfers all attachments by the document's settings, and waits for the end of the transfer. */
async function transfer(doc: string, type: "internal" | "external"): Promise<unknown> {
  await server.must("POST", at(doc, "/store"), { type });
  await server.must("POST", at(doc, "/transferAll"));
  for (;;) {
    const answer = await server.must<{ status: { isRunning: boolean } }>("GET", at(doc, "/transferStatus"));
    if (!answer.status.isRunning) return answer;
    // In-process requests never wait: the bucket's responses need a turn of the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Opens a downloaded document file as SQLite. */
async function downloaded(doc: string, query = ""): Promise<Database> {
  const url = `http://quern.test/o/team/api/docs/${doc}/download${query}`;
  const response = await server.app.handle(
    new Request(url, { headers: { Authorization: `Bearer ${server.keys.owner}`, Host: "quern.test" } }),
  );
  expect(response.status).toBe(200);
  const path = join(tempFolder(), "download.grist");
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  return new Database(path, { readonly: true });
}

test("incomplete bucket settings are refused at the start, naming the missing ones", async () => {
  const flags = { "s3-endpoint": s3.endpoint, "s3-bucket": "files", "s3-access-key": "key" };
  const error: unknown = await testApp({ flags }).catch((thrown: unknown) => thrown);
  expect((error as Error).message).toContain("QUERN_S3_SECRET_KEY");
});

describe("internally", () => {
  test("small files are stored in the document, large ones next to it, each once", async () => {
    const { doc } = await filled();
    expect(beside(doc)).toHaveLength(1);
    expect((await upload(server, { doc, files: FILES })).body).toEqual([3, 4]);
    expect(beside(doc)).toHaveLength(1);
    expect(await contents(doc)).toEqual(WHOLE);
    const part = { headers: { Range: "bytes=1-4" } };
    const reply = await server.call("owner", "GET", at(doc, "/2/download"), undefined, part);
    expect([reply.status, reply.body]).toEqual([206, "arge"]);
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
  });

  test("files are removed with their attachments", async () => {
    const { doc } = await filled();
    await server.must("POST", `/api/docs/${doc}/tables/Things/records/delete`, [1]);
    await server.must("POST", at(doc, "/removeUnused"));
    expect(beside(doc)).toEqual([]);
    using db = await downloaded(doc);
    expect(db.values("select count(*) from _gristsys_Files")).toEqual([[0]]);
  });

  test("files left over from a crash are swept when they are old", async () => {
    const { doc } = await filled();
    const orphan = `${"a".repeat(40)}.bin`;
    for (const [name, seconds] of [
      [orphan, 1000],
      [`${"b".repeat(40)}.bin`, Date.now() / 1000],
    ] as const) {
      writeFileSync(join(folderOf(doc), name), "left");
      utimesSync(join(folderOf(doc), name), seconds, seconds);
    }
    await server.must("POST", at(doc, "/removeUnused"));
    expect(beside(doc)).toHaveLength(2);
    expect(beside(doc)).not.toContain(orphan);
    expect(await contents(doc)).toEqual(WHOLE);
  });

  test("missing files are reported, and restored by uploading them again", async () => {
    const { doc } = await filled();
    rmSync(folderOf(doc), { recursive: true });
    expect(await contents(doc)).toEqual(["small", 404]);
    const reply = await server.call("owner", "POST", at(doc, "/verifyFiles"));
    expect([reply.status, reply.body.details]).toEqual([500, { code: "storage.damaged", attachments: [2] }]);
    await upload(server, { doc, files: FILES });
    await runSteps(server, [["owner", "POST", at(doc, "/verifyFiles"), undefined, 200, null]]);
    expect(await contents(doc)).toEqual(WHOLE);
  });
});

describe("in the bucket", () => {
  test("files are transferred in both directions, and readable during the transfer", async () => {
    const { doc } = await filled();
    expect(await server.must("GET", at(doc, "/store"))).toEqual({ type: "internal" });
    expect(await server.must("GET", at(doc, "/stores"))).toEqual({ stores: [{ label: "quern-bucket" }] });
    expect(await transfer(doc, "external")).toEqual({
      status: { pendingTransferCount: 0, isRunning: false, successes: 2, failures: 0 },
      locationSummary: "external",
    });
    expect([inBucket(doc).length, beside(doc)]).toEqual([2, []]);
    expect(await contents(doc)).toEqual(WHOLE);
    expect(await server.must("GET", at(doc, "/store"))).toEqual({ type: "external" });
    await upload(server, { doc, files: [{ name: "third.txt", content: "third" }] });
    expect(inBucket(doc)).toHaveLength(3);
    await server.must("POST", at(doc, "/store"), { type: "internal" });
    await upload(server, { doc, files: [{ name: "fourth.txt", content: "fourth" }] });
    expect(await server.must("GET", at(doc, "/transferStatus"))).toMatchObject({ locationSummary: "mixed" });
    expect(await transfer(doc, "internal")).toMatchObject({ status: { successes: 3 }, locationSummary: "internal" });
    expect([inBucket(doc), beside(doc).length]).toEqual([[], 1]);
    expect(await contents(doc)).toEqual(WHOLE);
  });

  test("ranges are requested as ranges", async () => {
    const { doc } = await filled();
    await transfer(doc, "external");
    const part = { headers: { Range: "bytes=-6" } };
    const reply = await server.call("owner", "GET", at(doc, "/2/download"), undefined, part);
    expect([reply.status, reply.body]).toEqual([206, "large "]);
  });

  test("nothing is lost when the bucket does not respond", async () => {
    const { doc } = await filled();
    s3.failing = true;
    try {
      expect(await transfer(doc, "external")).toMatchObject({ status: { successes: 0, failures: 2 } });
      expect(await contents(doc)).toEqual(WHOLE);
      const reply = await upload(server, { doc, files: [{ name: "new.txt", content: "new" }] });
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "10"]);
      const { records } = await server.must<{ records: unknown[] }>("GET", at(doc));
      expect(records).toHaveLength(2);
    } finally {
      s3.failing = false;
    }
  });

  test("files are removed with their attachments, and with the document", async () => {
    const { doc } = await filled();
    await transfer(doc, "external");
    await server.must("PATCH", `/api/docs/${doc}/tables/Things/records`, {
      records: [{ id: 1, fields: { Files: ["L", 2] } }],
    });
    await server.must("POST", at(doc, "/removeUnused"));
    expect(inBucket(doc)).toHaveLength(1);
    await server.must("DELETE", `/api/docs/${doc}`);
    expect(inBucket(doc)).toEqual([]);
  });

  test("other stores are refused", async () => {
    const { doc } = await filled();
    await runSteps(server, [
      ["owner", "POST", at(doc, "/store"), { type: "elsewhere" }, 400],
      ["owner", "POST", at(doc, "/store"), {}, 400],
    ]);
    await using plain = await testApp();
    const { doc: other } = await sampleDocument(plain);
    await runSteps(plain, [
      ["owner", "GET", at(other, "/stores"), undefined, 200, { stores: [] }],
      ["owner", "POST", at(other, "/store"), { type: "external" }, 400],
      ["owner", "POST", at(other, "/store"), { type: "internal" }, 200, {}],
    ]);
  });
});

describe.each(["internal", "external"] as const)("with an %s store", (type) => {
  async function placed(): Promise<Sample> {
    const sample = await filled();
    await transfer(sample.doc, type);
    return sample;
  }

  test("a copy has its own files", async () => {
    const { doc, workspaceId } = await placed();
    const copy = await server.must<string>("POST", `/api/docs/${doc}/copy`, { workspaceId, documentName: "Copy" });
    await server.must("DELETE", `/api/docs/${doc}`);
    expect(await contents(copy)).toEqual(WHOLE);
    await runSteps(server, [["owner", "POST", at(copy, "/verifyFiles"), undefined, 200, null]]);
  });

  test("a template has none", async () => {
    const { doc, workspaceId } = await placed();
    const input = { workspaceId, documentName: "Template", asTemplate: true };
    const copy = await server.must<string>("POST", `/api/docs/${doc}/copy`, input);
    expect(await server.must("GET", at(copy))).toEqual({ records: [] });
    expect([beside(copy), inBucket(copy)]).toEqual([[], []]);
  });

  test("a replaced document gets the files of the other one", async () => {
    const { doc } = await placed();
    const target = await filled();
    await server.must("PATCH", `/api/docs/${target.doc}/tables/Things/records`, {
      records: [{ id: 1, fields: { Files: null } }],
    });
    await server.must("POST", at(target.doc, "/removeUnused"));
    await server.must("POST", `/api/docs/${target.doc}/replace`, { sourceDocId: doc });
    expect(await contents(target.doc)).toEqual(WHOLE);
    await server.must("DELETE", `/api/docs/${doc}`);
    expect(await contents(target.doc)).toEqual(WHOLE);
  });

  test("a downloaded file is self-contained unless requested otherwise", async () => {
    const { doc } = await placed();
    using db = await downloaded(doc);
    const sizes = "select octet_length(data), storageId from _gristsys_Files order by octet_length(data)";
    expect(db.values(sizes)).toEqual([
      [5, null],
      [6000, null],
    ]);
    using bare = await downloaded(doc, "?noattachments=1");
    expect(bare.values("select count(*) from _gristsys_Files where data is null")).toEqual([
      [type === "internal" ? 1 : 2],
    ]);
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
  });
});

describe("access rules", () => {
  test("show attachments by the cells that refer to them", async () => {
    const { doc } = await filled();
    const users = { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" };
    await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users } });
    await server.must("POST", `/api/docs/${doc}/tables/Things/columns`, {
      columns: [{ id: "Secret", fields: { type: "Attachments" } }],
    });
    await server.must("PATCH", `/api/docs/${doc}/tables/Things/records`, {
      records: [{ id: 1, fields: { Files: ["L", 1], Secret: ["L", 2] } }],
    });
    await server.must("POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Things", colIds: "Secret" }],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "*", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -2, aclFormula: "user.Access != OWNER", permissionsText: "-S" },
      ],
    ]);
    const cell = (colId: string, rowId = 1) => `?tableId=Things&colId=${colId}&rowId=${rowId}`;
    await runSteps(server, [
      ["owner", "GET", at(doc, "/2/download"), undefined, 200, LARGE],
      ["viewer", "GET", at(doc, "/1"), undefined, 200, { fileName: "small.txt" }],
      ["viewer", "GET", at(doc, "/1/download"), undefined, 200, "small"],
      ["viewer", "GET", at(doc, `/1/download${cell("Files")}`), undefined, 200, "small"],
      ["viewer", "GET", at(doc, `/1/download${cell("Files", 2)}`), undefined, 404],
      ["viewer", "GET", at(doc, "/2"), undefined, 403],
      ["viewer", "GET", at(doc, "/2/download"), undefined, 403],
      ["viewer", "GET", at(doc, `/2/download${cell("Secret")}`), undefined, 404],
      ["viewer", "GET", at(doc, "/9"), undefined, 403],
      ["viewer", "GET", at(doc, "/9/download"), undefined, 404],
      ["viewer", "GET", at(doc, "/1/download?tableId=Things"), undefined, 400],
      ["viewer", "GET", at(doc, "/1/download?tableId=Things&colId=Files&rowId=x"), undefined, 400],
      ["viewer", "GET", at(doc), undefined, 200, { records: [] }],
      ["viewer", "GET", at(doc, "/archive"), undefined, 403],
      ["viewer", "GET", at(doc, "/transferStatus"), undefined, 200],
    ]);
    expect((await upload(server, { as: "editor", doc, files: [{ name: "own.txt", content: "own" }] })).body).toEqual([
      3,
    ]);
    const give = (id: number) => ({ records: [{ id: 1, fields: { Files: ["L", 1, id] } }] });
    await runSteps(server, [
      ["editor", "GET", at(doc, "/3/download"), undefined, 403],
      ["editor", "GET", at(doc, "/3/download?maybeNew=1"), undefined, 200, "own"],
      ["editor", "GET", at(doc, "/2/download?maybeNew=1"), undefined, 403],
      ["viewer", "GET", at(doc, "/3/download?maybeNew=1"), undefined, 403],
      ["editor", "PATCH", `/api/docs/${doc}/tables/Things/records`, give(2), 403],
      ["editor", "PATCH", `/api/docs/${doc}/tables/Things/records`, give(3), 200],
      ["viewer", "GET", at(doc, "/3/download"), undefined, 200, "own"],
      ["editor", "POST", at(doc, "/updateUsed"), undefined, 200, null],
    ]);
  });
});

test("concurrent uploads, transfers and removals leave every attachment with its file", async () => {
  const { doc } = await filled();
  const contentOf = (n: number) => (n % 2 === 0 ? `small ${n % 5}` : `${LARGE}${n % 5}`);
  const work = Array.from({ length: 30 }, (_, n) => async () => {
    if (n % 10 === 9) return server.call("owner", "POST", at(doc, "/removeUnused"));
    if (n % 10 === 4) await server.must("POST", at(doc, "/store"), { type: n % 20 === 4 ? "external" : "internal" });
    if (n % 10 === 4) return server.call("owner", "POST", at(doc, "/transferAll"));
    return upload(server, { doc, files: [{ name: `${n}.txt`, content: contentOf(n) }] });
  });
  const replies = await Promise.all(work.map((start) => start()));
  expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  await transfer(doc, "internal");
  await runSteps(server, [["owner", "POST", at(doc, "/verifyFiles"), undefined, 200, null]]);
  const { records } = await server.must<{ records: { id: number; fields: { fileName: string } }[] }>("GET", at(doc));
  for (const { id, fields } of records.slice(2)) {
    const reply = await server.call("owner", "GET", at(doc, `/${id}/download`));
    expect([fields.fileName, reply.body]).toEqual([fields.fileName, contentOf(Number.parseInt(fields.fileName, 10))]);
  }
});

test("a document from another server can have arbitrary names for files", async () => {
  const { doc } = await filled();
  await server.must("POST", `/api/docs/${doc}/apply`, [
    ["AddRecord", "_grist_Attachments", null, { fileIdent: "../document.grist", fileName: "x.txt", fileSize: 3 }],
    ["AddRecord", "_grist_Attachments", null, { fileIdent: "", fileName: "y.txt", timeUploaded: 1e300 }],
  ]);
  mkdirSync(folderOf(doc), { recursive: true });
  await runSteps(server, [
    ["owner", "GET", at(doc, "/3"), undefined, 200, { fileName: "x.txt", fileSize: 3 }],
    ["owner", "GET", at(doc, "/3/download"), undefined, 404],
    ["owner", "GET", at(doc, "/4"), undefined, 200, { fileName: "y.txt", timeUploaded: "1970-01-01T00:00:00.000Z" }],
    ["owner", "GET", at(doc, "/4/download"), undefined, 404],
    ["owner", "GET", at(doc, "/archive"), undefined, 200],
    ["owner", "POST", at(doc, "/verifyFiles"), undefined, 500],
  ]);
});
