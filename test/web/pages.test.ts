import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { createPages } from "../../src/web/pages.tsx";
import { testApp } from "../helpers/app.ts";
import { homeContext } from "../helpers/home-context.ts";
import { ADA, adasApp, assetIn, PASSWORD, Visitor } from "./visitor.ts";

describe("addresses", () => {
  const answers = [
    ["GET", "/", 303, "/sign-in"],
    ["GET", "/trash", 303, "/sign-in?next=%2Ftrash"],
    ["GET", "/workspaces/1", 303, "/sign-in?next=%2Fworkspaces%2F1"],
    ["GET", "/o/team/", 303, "/sign-in?next=%2Fo%2Fteam%2F"],
    ["GET", "/profile", 303, "/sign-in?next=%2Fprofile"],
    ["GET", "/profile/key", 302, "/profile"],
    ["GET", "/profile/name", 302, "/profile"],
    ["GET", "/profile/password", 302, "/profile"],
    ["GET", "/sign-in", 200, null],
    ["GET", "/first-run", 403, null],
    ["GET", "/first-run?token=wrong", 403, null],
    ["GET", "/help", 200, null],
    ["GET", "/help/errors", 200, null],
    ["GET", "/help/nothing", 404, null],
    ["GET", "/reference", 200, null],
    ["GET", "/reference/records", 200, null],
    ["GET", "/reference/service-accounts", 200, null],
    ["GET", "/reference/nothing", 404, null],
    ["GET", "/nothing", 404, null],
    ["GET", "/doc/sampleId1234", 302, "/docs/sampleId1234"],
    ["GET", "/o/team/doc/sampleId1234/p/3", 302, "/o/team/docs/sampleId1234/pages/3"],
    ["GET", "/doc/sampleId1234/f/7?Mail=a", 302, "/docs/sampleId1234/forms/7?Mail=a"],
    ["GET", "/o/team/doc/sampleId1234/My-document/f/7", 302, "/o/team/docs/sampleId1234/forms/7"],
    ["GET", "/sampleId1234/My-document/f/7", 302, "/docs/sampleId1234/forms/7"],
    ["GET", "/sampleId1234/My-document", 302, "/docs/sampleId1234"],
    ["GET", "/o/team/sampleId1234/My-document/p/3", 302, "/o/team/docs/sampleId1234/pages/3"],
    ["GET", "/tooShort/My-document", 404, null],
    ["GET", "/sign-out", 404, null],
    ["GET", "/assets/base.00000000.css", 404, null],
    ["GET", "/assets/../package.json", 404, null],
    ["POST", "/profile/name", 303, "/sign-in?next=%2Fprofile%23you&ended=yes"],
    ["POST", "/profile/key", 303, "/sign-in?next=%2Fprofile%23api&ended=yes"],
    ["POST", "/profile/key/remove", 303, "/sign-in?next=%2Fprofile%23api&ended=yes"],
    ["POST", "/profile/password", 303, "/sign-in?next=%2Fprofile%23password&ended=yes"],
    ["POST", "/sign-out", 303, "/sign-in"],
    ["POST", "/profile", 404, null],
  ] as const;

  test("answer anonymous users", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    for (const [method, path, status, to] of answers) {
      const reply = await (method === "GET" ? visitor.get(path) : visitor.post(path));
      expect([method, path, reply.status, reply.to]).toEqual([method, path, status, to]);
      if (to === null) expect(reply.html).toStartWith("<!doctype html><html");
    }
  });

  test("return 404 for unknown paths: a page for browsers, JSON for programs", async () => {
    await using t = await testApp();
    const page = await new Visitor(t.app).get("/nothing");
    expect(page.headers.get("content-type")).toStartWith("text/html");
    expect(page.html).toContain("No page exists at this address.");
    const reply = await t.call("anon", "GET", "/nothing");
    expect(reply).toMatchObject({ status: 404, body: { error: "No route for GET /nothing" } });
  });

  test("are logged as route patterns, with the user", async () => {
    const lines: Record<string, unknown>[] = [];
    const log = { ...silentLog, isEnabled: () => true, info: (_: string, fields = {}) => lines.push(fields) };
    await using t = await adasApp({ log });
    const ada = t.app.ctx.home.users.byEmail(ADA.email);
    lines.length = 0;
    const { ada: visitor } = t;
    for (const path of ["/profile", "/secret-of-mine", assetIn(await visitor.get("/profile"), "base.css")]) {
      await visitor.get(path);
    }
    const seen = lines.map(({ route, status, user }) => [route, status, user]);
    expect(seen).toEqual([
      ["/profile", 200, ada?.id],
      ["/profile", 200, ada?.id],
      ["unknown", 404, ada?.id],
      ["/assets/*", 200, null],
    ]);
  });
});

const PAGES = [
  "/sign-in",
  "/",
  "/trash",
  "/profile",
  "/first-run",
  "/help",
  "/help/errors",
  "/reference",
  "/reference/documents",
  "/nothing",
];

describe("every page", () => {
  /** Each as a signed-in user sees it, except the sign-in page. */
  async function* shown() {
    await using t = await adasApp();
    for (const path of PAGES) yield { path, ...(await (path === "/sign-in" ? new Visitor(t.app) : t.ada).get(path)) };
  }

  test("allows resources of this server only, and no framing", async () => {
    for await (const { path, headers } of shown()) {
      const policy = (headers.get("content-security-policy") ?? "").split("; ").toSorted();
      expect([path, ...policy]).toEqual([
        path,
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe(/^\/(help|reference)/.test(path) ? "private, no-cache" : "no-store");
    }
  });

  test("has no inline scripts or styles, and no external resources", async () => {
    for await (const { html } of shown()) {
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/assets\/)|javascript:/);
      expect(html).not.toMatch(/(?:src|href)="(?!\/|#)/);
    }
  });
});

describe("a form", () => {
  const forms: [string, Record<string, string>][] = [
    ["/sign-in", { email: ADA.email, password: PASSWORD }],
    ["/sign-out", {}],
    ["/first-run", { token: "x", name: "X", email: "x@example.com", password: PASSWORD }],
    ["/profile/name", { name: "Mallory" }],
    ["/profile/password", { current: PASSWORD, next: "another horse" }],
    ["/profile/key", {}],
    ["/profile/key/remove", {}],
  ];
  const foreign = ["", "null", "https://evil.example", "http://quern.test.evil.example", "https://quern.test"];

  test("is refused unless it comes from a page of this server", async () => {
    await using t = await adasApp();
    for (const [path, fields] of forms) {
      for (const Origin of foreign) {
        for (const type of ["", "text/plain", "application/json"]) {
          const reply = await t.ada.post(path, fields, { Origin, ...(type && { "Content-Type": type }) });
          expect([path, Origin, reply.status]).toEqual([path, Origin, 403]);
          expect(reply.html).toContain("Forms are accepted only from pages of this server.");
          expect(reply.headers.get("set-cookie")).toBeNull();
        }
      }
    }
    const profile = await t.ada.get("/profile");
    expect(profile.html).toContain(ADA.name);
    expect(profile.html).toContain(">Create<");
  });

  test("is refused when too large, malformed, or with a field that is too long", async () => {
    await using t = await adasApp();
    const long = await t.ada.post("/profile/name", { name: "n".repeat(1001) });
    expect([long.status, long.html.includes("The name is too long.")]).toEqual([400, true]);
    const large = await t.ada.post("/profile/name", { name: "n".repeat(70_000) }, { "Content-Length": "70005" });
    expect([large.status, large.html.includes("Form too large.")]).toEqual([413, true]);
    const odd = await t.ada.post("/profile/name", {}, { "Content-Type": "multipart/form-data; boundary=x" });
    expect([odd.status, odd.html.includes("Invalid form.")]).toEqual([400, true]);
    expect((await t.ada.get("/profile")).html).toContain(ADA.name);
  });
});

describe("assets", () => {
  test.each([
    ["base.css", "text/css; charset=utf-8"],
    ["page.js", "text/javascript; charset=utf-8"],
    ["icon.svg", "image/svg+xml"],
  ])("%s is immutable, and compressed where accepted", async (name, type) => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    const path = assetIn(await visitor.get("/sign-in"), name);
    const plain = await visitor.get(path);
    expect(plain.status).toBe(200);
    expect(plain.headers.get("content-type")).toBe(type);
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("vary")).toBe("Accept-Encoding");
    expect(plain.headers.get("content-encoding")).toBeNull();
    const packed = (codings: string) =>
      t.app.handle(new Request(`http://quern.test${path}`, { headers: { "Accept-Encoding": codings } }));
    const gzip = await packed("gzip, deflate");
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(new TextDecoder().decode(Bun.gunzipSync(await gzip.arrayBuffer()))).toBe(plain.html);
    const br = await packed("gzip, deflate, br");
    expect(br.headers.get("content-encoding")).toBe("br");
    expect(brotliDecompressSync(await br.arrayBuffer()).toString()).toBe(plain.html);
  });

  test("have the headers of documents only where browsers show them as such", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    const page = await visitor.get("/sign-in");
    const shown = async (path: string) => {
      const { headers } = await visitor.get(path);
      return [
        "content-security-policy",
        "x-frame-options",
        "x-content-type-options",
        "cross-origin-resource-policy",
      ].map((name) => headers.has(name));
    };
    expect(await shown("/sign-in")).toEqual([true, true, true, true]);
    expect(await shown(assetIn(page, "icon.svg"))).toEqual([true, true, true, true]);
    expect(await shown("/assets/missing.js")).toEqual([true, true, true, true]);
    expect(await shown(assetIn(page, "base.css"))).toEqual([false, false, true, true]);
    expect(await shown(assetIn(page, "page.js"))).toEqual([false, false, true, true]);
  });

  test("imports of a page's scripts are preloaded", async () => {
    await using t = await adasApp();
    const { html } = await t.ada.get("/profile");
    const addresses = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, found = ""]) => found);
    const preloaded = addresses(/<link rel="modulepreload" href="([^"]+)"/g, html);
    const needed = new Set<string>();
    const waiting = addresses(/<script type="module" src="([^"]+)"/g, html);
    for (const address of waiting) {
      const script = await t.ada.get(address);
      expect(script.status).toBe(200);
      for (const { kind, path } of new Bun.Transpiler({ loader: "js" }).scanImports(script.html)) {
        const imported = path.replace("./", "/assets/");
        if (kind === "import-statement" && !needed.has(imported)) waiting.push(imported);
        if (kind === "import-statement") needed.add(imported);
      }
    }
    expect(needed.size).toBeGreaterThan(0);
    expect(preloaded.toSorted()).toEqual([...needed].toSorted());
  });

  test("the icon is served at /favicon.ico", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    const reply = await visitor.get("/favicon.ico");
    expect(reply.to).toBe(assetIn(await visitor.get("/sign-in"), "icon.svg"));
    expect(reply.headers.get("cache-control")).toBe("max-age=86400");
  });
});

test("an unexpected error is shown without its cause, which is in the log", async () => {
  using ctx = homeContext();
  const errors: Record<string, unknown>[] = [];
  const log = { ...ctx.log, error: (_: string, fields = {}) => errors.push(fields) };
  const pages = createPages({
    describeApi() {
      throw new Error("secret cause");
    },
    incomingForm() {
      throw new Error("no form is sent");
    },
    withDocumentSlot() {
      throw new Error("no form is read");
    },
  });
  const response = await pages({
    request: new Request("http://quern.test/reference"),
    requestId: "r-1",
    path: "/reference",
    scope: { kind: "personal" },
    origin: "http://quern.test",
    address: "192.0.2.1",
    proxyUser: null,
    ctx: { ...ctx, log },
    config: readConfig({}, {}),
    actor: { kind: "anonymous" },
    accounting: {},
  });
  const html = (await response?.text()) ?? "";
  expect(response?.status).toBe(500);
  expect(html).toContain("under request id r-1");
  expect(html).not.toContain("secret cause");
  expect(errors).toMatchObject([{ requestId: "r-1", path: "/reference" }]);
  expect(String(errors[0]?.["error"])).toContain("secret cause");
});
