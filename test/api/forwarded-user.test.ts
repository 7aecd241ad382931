/** Authentication by a reverse proxy: browsers send the header with every request, so the request's origin decides. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addUser } from "../../src/services/accounts/users.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { signInByPassword } from "../helpers/sign-in.ts";
import { BROWSER } from "../helpers/users.ts";

const OWN = "http://quern.test";
const LISTED = "https://listed.example";
const FOREIGN = ["https://evil.example", "https://quern.test", "http://quern.test:81", "http://sub.quern.test", "null"];
const PROXY = "10.0.0.1";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  const flags = { "forward-auth-header": "X-Email", "trusted-proxies": "10.0.0.0/8", "cors-origins": LISTED };
  server = await testApp({ flags });
  ({ doc } = await sampleDocument(server));
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends a request through the proxy, which adds the owner's address. */
const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  server.app.handle(
    new Request(`${OWN}${path}`, {
      method,
      headers: {
        Host: "quern.test",
        "X-Email": "olga@example.com",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
    { peer: PROXY },
  );

const keys = async () => (await send("GET", "/api/profile/keys")).text();
const records = () => `/api/docs/${doc}/tables/Table1/records`;

describe("a forwarded user from a page of another origin is not authenticated", () => {
  test.each([...FOREIGN, LISTED])("%s", async (origin) => {
    const before = await keys();
    const asked: [method: string, path: string, body?: unknown][] = [
      ["GET", "/api/profile/keys"],
      ["GET", records()],
      ["HEAD", records()],
      ["POST", "/api/profile/apikey", {}],
      ["POST", "/api/profile/keys", { label: "mine" }],
      ["POST", records(), { records: [{ fields: {} }] }],
      ["PUT", records(), { records: [{ require: { A: 1 } }] }],
      ["PATCH", `/api/docs/${doc}`, { name: "Taken" }],
      ["DELETE", `/api/docs/${doc}`],
    ];
    for (const [method, path, body] of asked) {
      const reply = await send(method, path, { Origin: origin, "X-Requested-With": "XMLHttpRequest" }, body);
      expect({ method, path, isRefused: [401, 403].includes(reply.status) }).toEqual({ method, path, isRefused: true });
    }
    expect(await keys()).toBe(before);
    expect(await (await send("GET", `/api/docs/${doc}`)).json()).toMatchObject({ name: "Sample" });
    const page = await send("GET", "/profile", { Origin: origin, Accept: "text/html" });
    expect([page.status, page.headers.get("location")]).toEqual([303, "/sign-in?next=%2Fprofile"]);
    const form = await send("POST", "/profile/key", { Origin: origin, Accept: "text/html" });
    expect(form.status).toBe(403);
  });
});

describe("responses for a forwarded user cannot be read by other origins", () => {
  test.each(FOREIGN)("%s", async (origin) => {
    for (const [method, path] of [
      ["GET", "/status"],
      ["GET", "/api/orgs"],
      ["OPTIONS", "/api/orgs"],
      ["GET", "/api/nothing"],
      ["GET", "/profile"],
    ] as const) {
      const reply = await send(method, path, { Origin: origin });
      expect([path, reply.headers.get("access-control-allow-origin")]).toEqual([path, null]);
    }
  });

  test("callers without a forwarded user get the wildcard, and listed origins their name", async () => {
    const allowed = async (headers: Record<string, string>, peer: string) => {
      const request = new Request(`${OWN}/api/orgs`, { headers: { Host: "quern.test", ...headers } });
      return (await server.app.handle(request, { peer })).headers.get("access-control-allow-origin");
    };
    expect(await allowed({ Origin: "https://evil.example" }, PROXY)).toBe("*");
    expect(await allowed({ Origin: "https://evil.example", "X-Email": "olga@example.com" }, "192.0.2.1")).toBe("*");
    expect(await allowed({ Origin: LISTED, "X-Email": "olga@example.com" }, PROXY)).toBe(LISTED);
  });
});

describe("a forwarded user is authenticated by", () => {
  test.each<[what: string, headers: Record<string, string>]>([
    ["a program, which names no origin", {}],
    ["a page of this server", { Origin: OWN, "Sec-Fetch-Site": "same-origin" }],
    [
      "a link on another site",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
    ],
  ])("%s", async (_, headers) => {
    expect(await (await send("GET", "/api/profile/user", headers)).json()).toMatchObject({ email: "olga@example.com" });
    expect((await send("GET", "/profile", headers)).status).toBe(200);
  });

  test("a write of a page of this server", async () => {
    expect((await send("POST", records(), { Origin: OWN }, { records: [{ fields: {} }] })).status).toBe(200);
  });
});

describe("a forwarded user is not authenticated by what another site embeds", () => {
  test.each([
    ["an image", "no-cors", "image"],
    ["a script", "no-cors", "script"],
    ["a frame", "navigate", "iframe"],
  ])("%s", async (_, mode, dest) => {
    const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest };
    expect((await send("GET", "/api/profile/keys", headers)).status).toBe(401);
    expect((await send("GET", records(), headers)).status).toBe(403);
    expect((await send("GET", "/profile", headers)).status).toBe(303);
  });

  test("nor by a form there, sent as a navigation", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const reply = await send("POST", records(), headers, { records: [{ fields: {} }] });
    expect(reply.status).toBe(403);
  });
});

test("pages at the public URL authenticate if the proxy that terminates TLS is not trusted", async () => {
  await using behind = await testApp({ flags: { "public-url": "https://docs.example" } });
  const ada = { email: "ada@example.com", name: "Ada", password: "correct horse" };
  await addUser(behind.app.ctx, ada);
  const { token } = await signInByPassword(behind.app.ctx, { ...ada, ...BROWSER });
  const send = (origin: string) =>
    behind.call(
      "anon",
      "POST",
      "/o/docs/api/profile/keys",
      { label: "mine" },
      {
        headers: { Host: "docs.example", Cookie: `quern_session=${token}`, Origin: origin },
      },
    );
  expect((await send("https://docs.example")).status).toBe(200);
  expect((await send("https://evil.example")).status).toBe(401);
});
