import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { issueFirstRunToken } from "../../src/services/accounts/first-run.ts";
import { testApp } from "../helpers/app.ts";
import { TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { ADA, adasApp, PASSWORD, Visitor } from "./visitor.ts";

describe("the session's cookie", () => {
  const form = { email: ADA.email, password: PASSWORD };
  const flags = (cookie: string | null) => (cookie ?? "").split("; ").slice(1).toSorted();

  test("is HttpOnly and SameSite", async () => {
    await using t = await adasApp();
    const reply = await new Visitor(t.app).post("/sign-in", form);
    expect([reply.status, reply.to]).toEqual([303, "/"]);
    const [session = "", device = ""] = reply.headers.getSetCookie();
    expect(session).toMatch(/^quern_session=[0-9a-f]{64};/);
    expect(flags(session)).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]);
    expect(device).toMatch(/^quern_device=\d+\.[0-9a-f]{16}\.[\w-]{43};/);
    expect(flags(device)).toEqual(["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax"]);
  });

  test("is Secure when the browser uses https", async () => {
    const behind: [Record<string, string>, Record<string, string>][] = [
      [{ "trusted-proxies": "10.0.0.0/8" }, { "X-Forwarded-Proto": "https" }],
      [{ "public-url": "https://quern.test" }, {}],
    ];
    for (const [flagsGiven, headers] of behind) {
      await using t = await adasApp({ flags: flagsGiven });
      // The proxy terminates TLS, and forwards plain http.
      const visitor = new Visitor(t.app, { peer: "10.0.0.1", headers });
      const reply = await visitor.post("/sign-in", form, { Origin: "https://quern.test" });
      expect(reply.status).toBe(303);
      for (const cookie of reply.headers.getSetCookie()) expect(flags(cookie)).toContain("Secure");
    }
  });

  test("is deleted with the session when signing out", async () => {
    await using t = await adasApp();
    const reply = await t.ada.post("/sign-out");
    expect(reply.headers.get("set-cookie")).toStartWith("quern_session=; Max-Age=0;");
    expect((await t.ada.get("/profile")).to).toBe("/sign-in?next=%2Fprofile");
    expect(t.app.ctx.home.raw.get("select count(*) as n from sessions")).toEqual({ n: 0 });
  });

  test("redirects from the sign-in page to the documents", async () => {
    await using t = await adasApp();
    expect((await t.ada.get("/sign-in")).to).toBe("/");
  });
});

describe("signing in", () => {
  /** A signed-in user: the sign-in page redirects immediately. */
  let known: Awaited<ReturnType<typeof adasApp>>;
  beforeAll(async () => void (known = await adasApp()));
  afterAll(() => known[Symbol.asyncDispose]());

  const signInTowards = async (next: string) => {
    await using t = await adasApp();
    return (await new Visitor(t.app).post("/sign-in", { email: ADA.email, password: PASSWORD, next })).to;
  };

  test("redirects to the page that required it", async () => {
    await using t = await adasApp();
    const asked = await new Visitor(t.app).get("/profile?done=name");
    expect(asked.to).toBe("/sign-in?next=%2Fprofile%3Fdone%3Dname");
    const form = await new Visitor(t.app).get(asked.to ?? "");
    expect(form.html).toContain(`name="next" value="/profile?done=name"`);
    expect((await t.ada.get(asked.to ?? "")).to).toBe("/profile?done=name");
    expect(await signInTowards("/profile?done=name")).toBe("/profile?done=name");
    expect(await signInTowards("/o/team/profile")).toBe("/o/team/profile");
  });

  test.each([
    "",
    "profile",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "/\\/evil.example/",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/\n/evil.example",
    "/.//evil.example",
    "/./\\evil.example",
    "/.\\/evil.example",
    "/.//./evil.example",
    "/..//evil.example",
    "/../..//evil.example",
    "/%2e//evil.example",
    "/%2E%2e//evil.example",
    "/.\t//evil.example",
    "/a/..//evil.example",
    "/a/%2e%2e//evil.example",
    "/a/../\\evil.example",
    "/.//evil.example:80/a?b#c",
    "/.//user@evil.example",
    "/.///evil.example",
    "/.//",
    "//",
    "//[",
  ])("redirects nowhere else: %j", async (next) => {
    expect((await known.ada.get(`/sign-in?next=${encodeURIComponent(next)}`)).to).toBe("/");
  });

  test("by the form redirects nowhere else either", async () => {
    expect(await signInTowards("/.//evil.example")).toBe("/");
  });

  test("redirects to no other host, for any path", async () => {
    const parts = [
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2F",
      "%5c",
      "\t",
      "\r\n",
      "@",
      ":",
      ";",
      "?",
      "#",
      " ",
      "\u3002",
      "\uff0f",
    ];
    for (const a of parts) {
      for (const b of parts) {
        for (const c of parts) {
          const next = `/${a}${b}${c}/evil.example`;
          const { to } = await known.ada.get(`/sign-in?next=${encodeURIComponent(next)}`);
          expect({ next, host: new URL(to ?? "", "http://quern.test/sign-in").host }).toEqual({
            next,
            host: "quern.test",
          });
        }
      }
    }
  });

  test.each(["/o/team//evil.example", "/a//b", "/a/../profile", "/profile?next=//evil.example", "/#//evil.example"])(
    "redirects to the path on this server: %s",
    async (next) => {
      const { pathname, search, hash } = new URL(next, "http://quern.test");
      const { to } = await known.ada.get(`/sign-in?next=${encodeURIComponent(next)}`);
      expect(to).toBe(`${pathname}${search}${hash}`);
    },
  );

  test("too often is refused with the time to retry, and keeps the email address", async () => {
    const clock = new TestClock();
    await using t = await adasApp({ clock });
    const visitor = new Visitor(t.app);
    const attempt = (password: string) => visitor.post("/sign-in", { email: ADA.email, password });
    for (let n = 0; n < 10; n++) expect((await attempt("wrong")).status).toBe(400);
    const limited = await attempt(PASSWORD);
    expect(limited.status).toBe(429);
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(limited.html).toContain("Too many attempts to sign in. Try again in a second.");
    expect(limited.html).toContain(`value="${ADA.email}"`);
    expect(limited.html).not.toContain(PASSWORD);
    clock.pass(1000);
    expect((await attempt(PASSWORD)).to).toBe("/");
  });

  test("with wrong credentials keeps the address as text", async () => {
    await using t = await adasApp();
    const { status, html } = await new Visitor(t.app).post("/sign-in", { email: `"><b>`, password: "<i>" });
    expect(status).toBe(400);
    expect(html).toContain("The email address or the password is wrong.");
    expect(html).toContain(`value="&quot;&gt;&lt;b&gt;"`);
    expect(html).not.toMatch(/<b>|<i>/);
  });
});

/** A server without users. */
function emptyApp() {
  const app = createApp(readConfig({ data: tempFolder() }, {}));
  return { app, token: issueFirstRunToken(app.ctx) ?? "", [Symbol.asyncDispose]: () => app.close() };
}

describe("the first run", () => {
  const form = { name: "Ada", email: ADA.email, password: PASSWORD };

  test("creates the first user and invalidates the link", async () => {
    await using t = emptyApp();
    const visitor = new Visitor(t.app);
    const shown = await visitor.get(`/first-run?token=${t.token}`);
    expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect((await visitor.post("/first-run", { ...form, token: t.token })).to).toBe("/");
    expect((await visitor.get("/profile")).status).toBe(200);
    expect((await visitor.get(`/first-run?token=${t.token}`)).status).toBe(403);
    expect((await visitor.post("/first-run", { ...form, token: t.token, email: "b@example.com" })).status).toBe(403);
    expect(t.app.ctx.home.users.list()).toHaveLength(1);
  });

  test("keeps the input after an error, except the password", async () => {
    await using t = emptyApp();
    const wrong = { ...form, token: t.token, name: "<b>Ada", email: "nobody", password: "a password" };
    const reply = await new Visitor(t.app).post("/first-run", wrong);
    expect(reply.status).toBe(400);
    expect(reply.html).toContain("is not an email address");
    expect(reply.html).toContain(`value="&lt;b&gt;Ada"`);
    expect(reply.html).toContain(`value="nobody"`);
    expect(reply.html).not.toContain("a password");
    expect(t.app.ctx.home.users.hasPerson()).toBe(false);
  });
});

describe("a reverse proxy that names the user", () => {
  const flags = { "forward-auth-header": "X-Email", "trusted-proxies": "10.0.0.0/8" };
  const headers = { "X-Email": "pia@example.com" };

  test("redirects to the documents, without password and sign-out", async () => {
    await using t = await testApp({ flags });
    const pia = new Visitor(t.app, { peer: "10.0.0.1", headers });
    expect((await pia.get("/sign-in")).to).toBe("/");
    const { status, html } = await pia.get("/profile");
    expect(status).toBe(200);
    expect(html).toContain('<dd translate="no">pia@example.com</dd>');
    expect(html).not.toMatch(/type="password"|Sign out/);
    const made = await pia.post("/profile/key");
    const key = /value="([0-9a-f]{40})"/.exec(made.html)?.[1] ?? "";
    const reply = await t.call("anon", "GET", "/api/profile/user", undefined, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(reply.body).toMatchObject({ email: "pia@example.com" });
  });

  test("is not trusted from other addresses, nor for a disabled user", async () => {
    await using t = await testApp({ flags });
    expect((await new Visitor(t.app, { peer: "192.0.2.1", headers }).get("/profile")).to).toBe(
      "/sign-in?next=%2Fprofile",
    );
    const pia = new Visitor(t.app, { peer: "10.0.0.1", headers });
    await pia.get("/profile");
    const id = t.app.ctx.home.users.byEmail("pia@example.com")?.id ?? 0;
    t.app.ctx.home.users.change(id, { disabledAt: 1 });
    const refused = await pia.get("/profile");
    expect([refused.status, refused.html.includes("The user is disabled.")]).toEqual([403, true]);
  });
});
