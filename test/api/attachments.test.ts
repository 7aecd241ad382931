import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { USERS, sampleDocument, testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { formOf, rawForm, type SentFile, upload } from "../helpers/attachments.ts";
import { runSteps } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp({ flags: { "max-attachment": "200KB", "max-upload": "300KB", "max-attachments": "4" } });
  ({ doc } = await sampleDocument(server));
});
afterAll(() => server[Symbol.asyncDispose]());

const fresh = async (): Promise<string> => (await sampleDocument(server)).doc;
const at = (path = "", of = doc): string => `/api/docs/${of}/attachments${path}`;
const put = async (of: string, ...files: SentFile[]): Promise<number[]> =>
  (await upload(server, { doc: of, files })).body as number[];

/** Returns the state that must not change when a request is refused. */
async function everything(of: string): Promise<unknown> {
  const { body } = await server.call("owner", "GET", at("", of));
  const folder = join(server.folder, "docs", of, "attachments");
  return [body, existsSync(folder) ? readdirSync(folder) : [], readdirSync(join(server.folder, "tmp"))];
}

describe("uploading", () => {
  test("returns ids in the order of the files, and keeps names and sizes", async () => {
    const of = await fresh();
    const files = [
      { name: "plan.md", content: "# Plan" },
      { name: "größe €.txt", content: "ö" },
      { name: "empty.csv", content: "" },
      { name: 'say "hi".txt', content: "hi" },
    ];
    expect(await put(of, ...files)).toEqual([1, 2, 3, 4]);
    expect(await put(of, { name: "plan.md", content: "# Plan" })).toEqual([5]);
    const { body } = await server.call("owner", "GET", at("", of));
    expect(body.records.map(({ fields }: { fields: object }) => fields)).toMatchObject([
      { fileName: "plan.md", fileSize: 6 },
      { fileName: "größe €.txt", fileSize: 2 },
      { fileName: "empty.csv", fileSize: 0 },
      { fileName: 'say "hi".txt', fileSize: 2 },
      { fileName: "plan.md", fileSize: 6 },
    ]);
    expect(body.records[0].fields.timeUploaded).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
  });

  test("keeps a name with folders unchanged, and serves the file without them", async () => {
    const of = await fresh();
    const { raw, headers } = rawForm([{ headers: 'name="upload"; filename="../a/b.txt"', content: "x" }]);
    await server.call("owner", "POST", at("", of), undefined, { raw, headers });
    await runSteps(server, [["owner", "GET", at("/1", of), undefined, 200, { fileName: "../a/b.txt" }]]);
    const reply = await server.call("owner", "GET", at("/1/download", of));
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="b.txt"');
  });

  test("stores the size of pictures", async () => {
    const of = await fresh();
    const gif = Uint8Array.from(Buffer.from("GIF89a\x05\x00\x07\x00\x00\x00\x00;", "latin1"));
    await put(of, { name: "dot.gif", content: gif }, { name: "fake.gif", content: "no picture" });
    const { body } = await server.call("owner", "GET", `/api/docs/${of}/tables/_grist_Attachments/records`);
    expect(body.records.map(({ fields }: never) => fields)).toMatchObject([
      { imageWidth: 5, imageHeight: 7, fileExt: ".gif" },
      { imageWidth: 0, imageHeight: 0 },
    ]);
  });

  const text = (content: string, name = "a.txt"): SentFile => ({ name, content });
  const refused: [
    what: string,
    as: Caller,
    body: () => { raw: string | FormData; headers?: object },
    status: number,
  ][] = [
    ["a form without files", "owner", () => ({ raw: formOf([]) }), 400],
    ["another field", "owner", () => ({ raw: formOf([text("x")], "file") }), 400],
    ["a text in the field", "owner", () => rawForm([{ headers: 'name="upload"', content: "x" }]), 400],
    ["JSON", "owner", () => ({ raw: "{}", headers: { "Content-Type": "application/json" } }), 415],
    ["nothing", "owner", () => ({ raw: "", headers: { "Content-Type": "" } }), 415],
    ["too large a file", "owner", () => ({ raw: formOf([text("ok"), text("x".repeat(205_000))]) }), 413],
    ["too large files", "owner", () => ({ raw: formOf([text("x".repeat(160_000)), text("y".repeat(160_000))]) }), 413],
    ["too many files", "owner", () => ({ raw: formOf(["a", "b", "c", "d", "e"].map((c) => text(c))) }), 400],
    [
      "a body that ends early",
      "owner",
      () => rawForm([{ headers: 'name="upload"; filename="a.txt"', content: "x" }], { end: false }),
      400,
    ],
    ["a name with control characters", "owner", () => ({ raw: formOf([text("x", "a\u0007b.txt")]) }), 400],
    [
      "a name that breaks the line",
      "owner",
      () => rawForm([{ headers: 'name="upload"; filename="a\nX-Evil: 1.txt"', content: "x" }]),
      400,
    ],
    ["too long a name", "owner", () => ({ raw: formOf([text("x", `${"n".repeat(1001)}.txt`)]) }), 400],
    ["a stranger's file", "stranger", () => ({ raw: formOf([text("x")]) }), 403],
    ["a visitor's file", "anon", () => ({ raw: formOf([text("x")]) }), 403],
    ["a wrong key's file", "badkey", () => ({ raw: formOf([text("x")]) }), 401],
  ];
  test.each(refused)("refuses %s from %s, and stores nothing", async (_what, as, body, status) => {
    await put(doc, text("there"));
    const before = await everything(doc);
    const { raw, headers = {} } = body();
    const reply = await server.call(as, "POST", at(), undefined, { raw, headers: { ...headers } });
    expect([reply.status, typeof reply.body.error]).toEqual([status, "string"]);
    expect(await everything(doc)).toEqual(before);
  });
});

describe("listing", () => {
  let of: string;
  beforeAll(async () => {
    of = await fresh();
    await put(
      of,
      { name: "b.txt", content: "22" },
      { name: "A.txt", content: "4444" },
      { name: "c.txt", content: "1" },
    );
  });
  const ids = async (query: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const reply = await server.call("owner", "GET", at(query, of), undefined, { headers });
    return reply.status === 200 ? reply.body.records.map(({ id }: { id: number }) => id) : reply.status;
  };

  test("filters, sorts and limits", async () => {
    expect(await ids("")).toEqual([1, 2, 3]);
    expect(await ids(`?filter=${encodeURIComponent('{"fileName":["c.txt","b.txt"]}')}`)).toEqual([1, 3]);
    expect(await ids(`?filter=${encodeURIComponent('{"fileSize":["2"]}')}`)).toEqual([]);
    expect(await ids(`?filter=${encodeURIComponent('{"id":[2]}')}`)).toEqual([2]);
    expect(await ids("?sort=fileName")).toEqual([2, 1, 3]);
    expect(await ids("?sort=-fileSize&limit=2")).toEqual([2, 1]);
    expect(await ids("?limit=0")).toEqual([1, 2, 3]);
    expect(await ids("", { "X-Sort": "-id", "X-Limit": "1" })).toEqual([3]);
    expect(await ids("?limit=2", { "X-Limit": "1" })).toEqual([1, 2]);
  });

  test.each(["?filter=no", '?filter={"fileName":1}', '?filter={"Nope":[1]}', "?sort=Nope", "?limit=x", "?limit=-1"])(
    "refuses %s",
    async (query) => expect(await ids(query)).toBe(400),
  );

  test("is conditional", async () => {
    const { headers } = await server.call("owner", "GET", at("", of));
    const known = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
    expect((await server.call("owner", "GET", at("", of), undefined, known)).status).toBe(304);
    await put(of, { name: "d.txt", content: "d" });
    expect((await server.call("owner", "GET", at("", of), undefined, known)).status).toBe(200);
  });
});

describe("one attachment", () => {
  test("is found by its id, ignoring characters after it", async () => {
    const of = await fresh();
    await put(of, { name: "a.txt", content: "abc" });
    await runSteps(server, [
      ["owner", "GET", at("/1", of), undefined, 200, { fileName: "a.txt", fileSize: 3 }],
      ["owner", "GET", at("/1x", of), undefined, 200, { fileName: "a.txt" }],
      ["owner", "GET", at("/2", of), undefined, 404],
      ["owner", "GET", at("/0", of), undefined, 404],
      ["owner", "GET", at("/-1", of), undefined, 404],
      ["owner", "GET", at("/99999999999999999999", of), undefined, 404],
      ["owner", "GET", at("/x", of), undefined, 400],
      ["owner", "GET", at("/2/download", of), undefined, 404],
      ["owner", "GET", at("/x/download", of), undefined, 400],
    ]);
  });
});

describe("downloading", () => {
  let of: string;
  const CONTENT = "0123456789abcdef";
  beforeAll(async () => {
    of = await fresh();
    await put(
      of,
      { name: "Data.TXT", content: CONTENT },
      { name: "page.html", content: "<script>alert(1)</script>" },
      { name: "README", content: "x", type: "application/octet-stream" },
      { name: "日本.csv", content: "a,b" },
    );
    await put(of, { name: "empty.json", content: "" }, { name: "odd.zzz", content: "?" });
    const shown = ["report.pdf", "call.mp3", "film.mp4", "drawing.svg", "page.xhtml", "data.xml"];
    for (const name of shown) await put(of, { name, content: `<script>${name}</script>` });
  });
  const get = (id: number, query = "", headers: Record<string, string> = {}, method = "GET") =>
    server.call("owner", method, at(`/${id}/download${query}`, of), undefined, { headers });
  const about = async (id: number, query = ""): Promise<unknown> => {
    const { headers } = await get(id, query);
    return [headers.get("content-type"), headers.get("content-disposition")];
  };

  test("has type and name by its extension", async () => {
    expect(await about(1)).toEqual(["text/plain; charset=utf-8", 'attachment; filename="Data.txt"']);
    expect(await about(3)).toEqual(["application/octet-stream", 'attachment; filename="README.bin"']);
    expect(await about(4)).toEqual([
      "text/csv; charset=utf-8",
      "attachment; filename=\"??.csv\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.csv",
    ]);
    expect(await about(5)).toEqual(["application/json; charset=utf-8", 'attachment; filename="empty.json"']);
    expect(await about(6)).toEqual(["application/octet-stream", 'attachment; filename="odd.zzz"']);
  });

  test("accepts another name, and is shown in the browser unless it is HTML", async () => {
    expect(await about(1, "?name=x/other.md&inline=1")).toEqual([
      "text/plain; charset=utf-8",
      'inline; filename="other.md"',
    ]);
    expect(await about(2, "?inline=true")).toEqual(["text/html; charset=utf-8", 'attachment; filename="page.html"']);
    expect((await get(1, "?name=a%0D%0AX-Evil:1")).status).toBe(400);
  });

  test("sandboxes the file", async () => {
    const { headers } = await get(2);
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("private, max-age=3600");
  });

  const SHOWN = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  const SANDBOX = "sandbox; default-src 'none'";
  test.each([
    ["report.pdf", 7, "inline=1", SHOWN],
    ["call.mp3", 8, "inline=1", SHOWN],
    ["film.mp4", 9, "inline=1", SHOWN],
    ["report.pdf", 7, "", SANDBOX],
    ["drawing.svg", 10, "inline=1", SANDBOX],
    ["page.xhtml", 11, "inline=1", SANDBOX],
    ["data.xml", 12, "inline=1", SANDBOX],
    ["page.html", 2, "inline=1", SANDBOX],
  ])("only files without scripts leave the sandbox: %s (%d) with %j", async (_, id, query, policy) => {
    const { headers } = await get(id, `?${query}`);
    expect([headers.get("content-security-policy"), headers.get("x-content-type-options")]).toEqual([
      policy,
      "nosniff",
    ]);
  });

  test("supports ranges", async () => {
    const part = async (range: string, headers = {}): Promise<unknown> => {
      const reply = await get(1, "", { Range: range, ...headers });
      const body: unknown = reply.status < 300 ? reply.body : null;
      return [reply.status, body, reply.headers.get("content-range")];
    };
    expect(await part("bytes=10-")).toEqual([206, "abcdef", "bytes 10-15/16"]);
    expect(await part("bytes=10-10")).toEqual([206, "a", "bytes 10-10/16"]);
    expect(await part("bytes=12-99")).toEqual([206, "cdef", "bytes 12-15/16"]);
    expect(await part("bytes=-3")).toEqual([206, "def", "bytes 13-15/16"]);
    expect(await part("bytes=-99")).toEqual([206, CONTENT, "bytes 0-15/16"]);
    expect(await part("bytes=16-")).toEqual([416, null, "bytes */16"]);
    expect(await part("bytes=-0")).toEqual([416, null, "bytes */16"]);
    for (const odd of ["bytes=3-1", "bytes=-", "bytes=0-1,3-4", "lines=1-2", "bytes=x-2"]) {
      expect(await part(odd)).toEqual([200, CONTENT, null]);
    }
    const tag = (await get(1)).headers.get("etag") ?? "";
    expect(await part("bytes=10-", { "If-Range": tag })).toEqual([206, "abcdef", "bytes 10-15/16"]);
    expect(await part("bytes=10-", { "If-Range": '"other"' })).toEqual([200, CONTENT, null]);
    expect((await get(5, "", { Range: "bytes=0-" })).status).toBe(416);
  });

  test("is conditional, and supports HEAD", async () => {
    const whole = await get(1);
    const tag = whole.headers.get("etag") ?? "";
    expect((await get(1, "", { "If-None-Match": tag })).status).toBe(304);
    expect((await get(1, "", { "If-None-Match": '"other", *' })).status).toBe(200);
    expect((await get(1, "", { "If-None-Match": "*" })).status).toBe(304);
    const head = await get(1, "", {}, "HEAD");
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([200, "", "16"]);
  });
});

describe("use", () => {
  test("removes attachments that no cell refers to, and no others", async () => {
    const of = await fresh();
    const files = ["a", "b", "c", "d"].map((name) => ({ name: `${name}.txt`, content: name }));
    await put(of, ...files);
    await runSteps(server, [
      [
        "owner",
        "POST",
        `/api/docs/${of}/tables`,
        { tables: [{ id: "Things", columns: [{ id: "Files", fields: { type: "Attachments" } }] }] },
        200,
      ],
      [
        "owner",
        "POST",
        `/api/docs/${of}/tables/Things/records`,
        { records: [{ fields: { Files: ["L", 2, 4] } }, { fields: { Files: ["L", 4] } }] },
        200,
      ],
      ["owner", "POST", at("/updateUsed", of), undefined, 200, null],
      ["owner", "POST", at("/removeUnused?expiredonly=1", of), undefined, 200, null],
    ]);
    const listed = async (): Promise<number[]> => {
      const { body } = await server.call("owner", "GET", at("", of));
      return (body.records as { id: number }[]).map(({ id }) => id);
    };
    expect(await listed()).toEqual([1, 2, 3, 4]);
    await runSteps(server, [
      ["owner", "POST", at("/removeUnused?verifyfiles=1", of), undefined, 200, null],
      ["owner", "GET", at("/3/download", of), undefined, 404],
      ["owner", "POST", `/api/docs/${of}/tables/Things/records/delete`, [2], 200],
      ["owner", "POST", at("/removeUnused", of), undefined, 200, null],
    ]);
    expect(await listed()).toEqual([2, 4]);
    await runSteps(server, [
      ["owner", "DELETE", `/api/docs/${of}/tables/Things/columns/Files`, undefined, 200],
      ["owner", "POST", at("/removeUnused", of), undefined, 200, null],
    ]);
    expect(await listed()).toEqual([]);
    expect(await put(of, { name: "a.txt", content: "a" })).toEqual([1]);
    await runSteps(server, [["owner", "GET", at("/1/download", of), undefined, 200, "a"]]);
  });
});

test("viewers read, editors upload, owners clean up", async () => {
  const of = await fresh();
  await put(of, { name: "a.txt", content: "a" });
  const users = { [USERS.viewer.email]: "viewers", [USERS.editor.email]: "editors" };
  await server.must("PATCH", `/api/docs/${of}/access`, { delta: { users } });
  const who = ["owner", "editor", "viewer", "stranger"] as const;
  const ask = async (method: string, path: string, body?: unknown): Promise<number[]> => {
    const replies = await Promise.all(who.map((as) => server.call(as, method, at(path, of), body)));
    return replies.map(({ status }) => status);
  };
  for (const path of ["", "/1", "/1/download", "/archive", "/store", "/transferStatus"]) {
    expect([path, await ask("GET", path)]).toEqual([path, [200, 200, 200, 403]]);
  }
  expect(await ask("GET", "/stores")).toEqual([200, 403, 403, 403]);
  expect(await ask("POST", "/updateUsed")).toEqual([200, 200, 403, 403]);
  for (const path of ["/verifyFiles", "/transferAll"]) {
    expect([path, await ask("POST", path)]).toEqual([path, [200, 403, 403, 403]]);
  }
  expect(await ask("POST", "/store", { type: "internal" })).toEqual([200, 403, 403, 403]);
  for (const [as, status] of [
    ["viewer", 403],
    ["stranger", 403],
    ["editor", 200],
  ] as const) {
    const reply = await upload(server, { as, doc: of, files: [{ name: "b.txt", content: "b" }] });
    expect([as, reply.status]).toEqual([as, status]);
  }
});
