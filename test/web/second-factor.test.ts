/** The second step of a sign-in and the page of second factors, without a browser. */
import { describe, expect, spyOn, test } from "bun:test";
import { addUser, revokeUserAccess } from "../../src/services/accounts/users.ts";
import { must } from "../../src/lib/assert.ts";
import { testApp, type TestApp, type TestAppOptions } from "../helpers/app.ts";
import { SoftwareAuthenticator } from "../helpers/authenticator.ts";
import { MINUTE, TestClock } from "../helpers/clock.ts";
import { codeAt, enrolledUser, PASSWORD, STEP_MS, type Enrolled } from "../helpers/second-factor.ts";

const ANN = "ann@example.com";
const ORIGIN = "http://localhost";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly to: string | null;
  readonly headers: Headers;
}

/** A browser with a cookie jar. */
class Client {
  readonly cookies = new Map<string, string>();
  readonly #app: TestApp["app"];
  readonly #address: string;

  constructor({ app }: TestApp, address = "192.0.2.1") {
    this.#app = app;
    this.#address = address;
  }

  get(path: string): Promise<Answer> {
    return this.#send(path, {});
  }

  form(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { method: "POST", body: new URLSearchParams(fields), headers });
  }

  json(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const type = { "Content-Type": "application/json", ...headers };
    return this.#send(path, { method, ...(body && { body: JSON.stringify(body) }), headers: type });
  }

  async #send(
    path: string,
    init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> },
  ): Promise<Answer> {
    const headers = new Headers({ Host: "localhost", Accept: "text/html", Origin: ORIGIN, ...init.headers });
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "" && !headers.has("Authorization")) headers.set("Cookie", cookie);
    const request = new Request(`${ORIGIN}${path}`, { ...init, headers });
    const response = await this.#app.handle(request, { peer: this.#address });
    for (const each of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const { status, headers: given } = response;
    return { status, text: await response.text(), to: given.get("location"), headers: given };
  }
}

interface Fixture extends TestApp {
  readonly ann: Enrolled;
  readonly clock: TestClock;
  readonly client: Client;
}

/** A server with Ann, who has an authenticator app. */
async function annsSite(options: TestAppOptions = {}): Promise<Fixture> {
  const clock = new TestClock();
  const site = await testApp({ clock, ...options });
  const ann = await enrolledUser(site.app.ctx, ANN);
  clock.pass(10 * STEP_MS);
  return { ...site, ann, clock, client: new Client(site) };
}

const givePassword = (client: Client, email = ANN) =>
  client.form("/sign-in", { email, password: PASSWORD, next: "/trash" });

async function signInFully({ client, ann, clock }: Fixture): Promise<void> {
  await givePassword(client);
  clock.pass(STEP_MS);
  const { status } = await client.form("/sign-in/second-factor", { code: codeAt(ann.secret, clock.now()) });
  expect(status).toBe(303);
}

describe("signing in with a second factor", () => {
  test("starts no session before the code, and a new one with it", async () => {
    await using t = await annsSite();
    const { client, ann, clock } = t;
    // A planted session is not continued.
    client.cookies.set("quern_session", "0".repeat(64));
    const first = await givePassword(client);
    expect([first.status, first.to]).toEqual([303, "/sign-in/second-factor?next=%2Ftrash"]);
    expect(client.cookies.get("quern_session")).toBe("0".repeat(64));
    expect((await client.get("/profile")).status).toBe(303);
    const [pending = ""] = first.headers.getSetCookie();
    expect(pending.split("; ").slice(1).toSorted()).toEqual(["HttpOnly", "Max-Age=300", "Path=/", "SameSite=Lax"]);
    expect(pending).not.toContain(ANN);

    const page = await client.get(first.to ?? "");
    expect([page.status, page.text.includes("Code of your authenticator app")]).toEqual([200, true]);
    const wrong = await client.form("/sign-in/second-factor", { code: "12345", next: "/trash" });
    expect([wrong.status, wrong.text.includes("The code is wrong, or was used.")]).toEqual([400, true]);
    const right = await client.form("/sign-in/second-factor", {
      code: codeAt(ann.secret, clock.now()),
      next: "/trash",
    });
    expect([right.status, right.to]).toEqual([303, "/trash"]);
    expect(client.cookies.get("quern_session")).toMatch(/^[0-9a-f]{64}$/);
    expect(client.cookies.get("quern_session")).not.toBe("0".repeat(64));
    expect(client.cookies.has("quern_pending")).toBe(false);
    expect((await client.get("/profile")).status).toBe(200);
  });

  test("leads back to the sign-in page without a password, and to no other host", async () => {
    await using t = await annsSite();
    const { client, ann, clock } = t;
    for (const path of ["/sign-in/second-factor", "/sign-in/add-second-factor"]) {
      expect((await client.get(path)).to).toBe("/sign-in?expired=yes");
      expect((await client.form(path, { code: "123456" })).to).toBe("/sign-in?expired=yes");
    }
    expect((await client.get("/sign-in?expired=yes")).text).toContain("This sign-in has expired. Sign in again.");
    await givePassword(client);
    // A user with a factor cannot add one with the password alone.
    expect((await client.get("/sign-in/add-second-factor")).to).toBe("/sign-in?expired=yes");
    const code = codeAt(ann.secret, clock.now());
    const done = await client.form("/sign-in/second-factor", { code, next: "//evil.example" });
    expect([done.status, done.to]).toEqual([303, "/"]);
  });

  test("by a link for a new password asks for the code, too", async () => {
    await using t = await annsSite();
    const { client } = t;
    const { issueReset } = await import("../../src/services/accounts/password-resets.ts");
    const { ctx } = t.app;
    const { token } = issueReset(ctx, must(ctx.home.users.byEmail(ANN), "Ann"));
    const done = await client.form("/reset-password", { token, password: "another horse", name: "" });
    expect([done.status, done.to]).toEqual([303, "/sign-in/second-factor"]);
    expect(client.cookies.has("quern_session")).toBe(false);
  });
});

test("a required second factor is added before anything else", async () => {
  const clock = new TestClock();
  await using t = await testApp({ clock, flags: { "require-second-factor": "on" } });
  const client = new Client(t);
  await addUser(t.app.ctx, { email: "bob@example.com", name: "Bob", password: PASSWORD });
  const first = await givePassword(client, "bob@example.com");
  expect([first.status, first.to]).toEqual([303, "/sign-in/add-second-factor?next=%2Ftrash"]);
  expect((await client.get("/profile")).status).toBe(303);
  const page = await client.get(first.to ?? "");
  const secret = /id="totp-secret"[^>]*value="([A-Z2-7]+)"/.exec(page.text)?.[1] ?? "";
  expect(page.text).toContain('<svg class="qr-code"');
  expect(page.text).not.toContain("style=");
  // Reloading shows the same secret.
  expect((await client.get(first.to ?? "")).text).toContain(secret);
  expect((await client.form("/sign-in/add-second-factor", { code: "000000" })).status).toBe(400);
  const done = await client.form("/sign-in/add-second-factor", { code: codeAt(secret, clock.now()), next: "/trash" });
  expect(done.status).toBe(200);
  expect(done.text.match(/([2-9a-z]{4}-){3}[2-9a-z]{4}/g)).toHaveLength(10);
  expect(done.text).toContain('href="/trash"');
  expect((await client.get("/profile")).status).toBe(200);
  // The last factor stays.
  const removed = await client.form("/profile/security/authenticator/remove");
  expect([removed.status, removed.text.includes("This server requires a second factor")]).toEqual([403, true]);
});

describe("changing factors", () => {
  const changes: [method: string, path: string, body?: object][] = [
    ["POST", "/api/profile/second-factor/authenticator", {}],
    ["POST", "/api/profile/second-factor/authenticator/confirm", { code: "123456" }],
    ["DELETE", "/api/profile/second-factor/authenticator"],
    ["POST", "/api/profile/second-factor/recovery-codes", {}],
    ["POST", "/api/profile/passkeys/options", {}],
    ["PATCH", "/api/profile/passkeys/abc", { name: "Phone" }],
    ["DELETE", "/api/profile/passkeys/abc"],
  ];
  const codeOf = (answer: Answer): unknown =>
    (JSON.parse(answer.text) as { details?: { code?: string } }).details?.code ?? null;

  test("requires a recent sign-in, password or code, in the same session", async () => {
    await using t = await annsSite();
    const { client, clock, ann } = t;
    await signInFully(t);
    const codes = () =>
      Promise.all(changes.map(async ([method, path, body]) => codeOf(await client.json(method, path, body))));
    clock.pass(11 * MINUTE);
    expect(new Set(await codes())).toEqual(new Set(["second_factor.confirm"]));
    for (const form of ["authenticator", "authenticator/remove", "recovery-codes", "passkeys/remove"]) {
      const refused = await client.form(`/profile/security/${form}`, { id: "abc" });
      expect([form, refused.status]).toEqual([form, 403]);
    }
    const confirm = (body: object) => client.json("POST", "/api/profile/second-factor/confirm", body);
    expect(codeOf(await confirm({ password: "wrong" }))).toBe("access.denied");
    expect(codeOf(await confirm({ code: "000000" }))).toBe("second_factor.code");
    expect(codeOf(await confirm({}))).toBe("payload.invalid");
    expect(codeOf(await confirm({ code: "1", password: PASSWORD }))).toBe("payload.invalid");
    expect(new Set(await codes())).toEqual(new Set(["second_factor.confirm"]));
    expect((await confirm({ code: codeAt(ann.secret, clock.now()) })).status).toBe(200);
    const confirmed = client.cookies.get("quern_confirmed") ?? "";
    expect(await codes()).not.toContain("second_factor.confirm");
    clock.pass(10 * MINUTE);
    expect(new Set(await codes())).toEqual(new Set(["second_factor.confirm"]));

    // The cookie is worth nothing in another session, or of another user.
    const other = new Client(t);
    await signInFully({ ...t, client: other });
    clock.pass(11 * MINUTE);
    other.cookies.set("quern_confirmed", confirmed);
    expect(codeOf(await other.json("DELETE", "/api/profile/passkeys/abc"))).toBe("second_factor.confirm");
    expect((await confirm({ password: PASSWORD })).status).toBe(200);
    other.cookies.set("quern_confirmed", client.cookies.get("quern_confirmed") ?? "");
    expect(codeOf(await other.json("DELETE", "/api/profile/passkeys/abc"))).toBe("second_factor.confirm");
    expect(codeOf(await client.json("DELETE", "/api/profile/passkeys/abc"))).toBe("passkey.not_found");
  });

  test("is not possible with an API key, nor for pages of other origins", async () => {
    await using t = await annsSite();
    const { client, keys } = t;
    await signInFully(t);
    const routes: typeof changes = [
      ...changes,
      ["GET", "/api/profile/second-factor"],
      ["GET", "/api/profile/passkeys"],
      ["POST", "/api/profile/second-factor/confirm", { code: "123456" }],
      ["POST", "/api/users/5/reset-second-factor", {}],
    ];
    for (const [method, path, body] of routes) {
      const byKey = await client.json(method, path, body, { Authorization: `Bearer ${keys.owner}` });
      expect([path, byKey.status, codeOf(byKey)]).toEqual([path, 403, "access.session_required"]);
      const byPage = await client.json(method, path, body, { Origin: "https://evil.example" });
      expect([path, byPage.status]).toEqual([path, 401]);
    }
    const forms = [
      "/sign-in/second-factor",
      "/sign-in/add-second-factor",
      "/sign-in/passkey",
      "/sign-in/passkey/options",
      "/profile/security/confirm",
      "/profile/security/authenticator",
      "/profile/security/authenticator/add",
      "/profile/security/authenticator/remove",
      "/profile/security/recovery-codes",
      "/profile/security/passkeys/rename",
      "/profile/security/passkeys/remove",
    ];
    for (const path of forms) {
      for (const origin of ["https://evil.example", "null"]) {
        expect([path, (await client.form(path, {}, { Origin: origin })).status]).toEqual([path, 403]);
      }
    }
  });

  test("shows new recovery codes once, and refuses the former ones", async () => {
    await using t = await annsSite();
    const { client, ann } = t;
    await signInFully(t);
    const page = await client.form("/profile/security/recovery-codes");
    const codes = page.text.match(/([2-9a-z]{4}-){3}[2-9a-z]{4}/g) ?? [];
    expect([page.status, codes.length, page.headers.get("cache-control")]).toEqual([200, 10, "no-store"]);
    expect((await client.get("/profile/security")).text).not.toContain(codes[0] ?? "none");
    for (const [code, status] of [
      [ann.recoveryCodes[0], 400],
      [codes[0], 303],
    ] as const) {
      const other = new Client(t);
      await givePassword(other);
      expect((await other.form("/sign-in/second-factor", { code: code ?? "" })).status).toBe(status);
    }
    expect((await client.get("/profile/security")).text).toContain("9 codes left");
  });

  test("is for administrators, who reset the factors of other users", async () => {
    await using t = await annsSite();
    const { client, ann } = t;
    const { ctx } = t.app;
    const reset = (by: Client) => by.json("POST", `/api/users/${ann.userId}/reset-second-factor`, {});
    await addUser(ctx, { email: "bob@example.com", name: "Bob", password: PASSWORD });
    await addUser(ctx, { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true });
    expect((await reset(client)).status).toBe(401);
    await givePassword(client, "bob@example.com");
    expect((await reset(client)).status).toBe(403);
    expect((await client.form(`/admin/users/${ann.userId}/reset-second-factor`)).status).toBe(403);
    expect(ctx.home.secondFactors.has(ann.userId)).toBe(true);
    const root = new Client(t);
    await givePassword(root, "root@example.com");
    expect((await root.get("/admin/users")).text).toContain("Reset two-step verification ann@example.com");
    expect((await reset(root)).status).toBe(200);
    expect((await root.json("POST", "/api/users/999999/reset-second-factor", {})).status).toBe(404);
    expect(ctx.home.secondFactors.has(ann.userId)).toBe(false);
    expect((await givePassword(new Client(t))).to).toBe("/trash");
  });
});

describe("a passkey", () => {
  test("is added by the API, and signs in by the page", async () => {
    await using t = await annsSite();
    const { client } = t;
    await signInFully(t);
    const started = await client.json("POST", "/api/profile/passkeys/options", {});
    const options = JSON.parse(started.text) as { challenge: string; rp: { id: string }; user: { id: string } };
    expect(options.rp.id).toBe("localhost");
    const page = { challenge: options.challenge, rpId: "localhost", origin: ORIGIN };
    const userHandle = Buffer.from(options.user.id, "base64url").toString();
    const authenticator = new SoftwareAuthenticator({ userHandle });
    const added = await client.json("POST", "/api/profile/passkeys", {
      name: "Laptop",
      credential: authenticator.create(page),
    });
    // Ann has recovery codes already.
    expect([added.status, JSON.parse(added.text)]).toEqual([200, { id: authenticator.id, recoveryCodes: [] }]);
    const { id } = authenticator;
    expect((await client.json("PATCH", `/api/profile/passkeys/${id}`, { name: "Phone" })).status).toBe(200);
    expect((await client.get("/profile/security")).text).toContain("Phone");

    const other = new Client(t);
    const use = async (step: "signIn" | "factor") => {
      const given = await other.json("POST", "/sign-in/passkey/options", { use: step });
      const { challenge } = JSON.parse(given.text) as { challenge: string };
      const credential = authenticator.get({ ...page, challenge });
      return other.json("POST", "/sign-in/passkey", { use: step, next: "/trash", credential });
    };
    const signedIn = await use("signIn");
    expect([signedIn.status, JSON.parse(signedIn.text)]).toEqual([200, { to: "/trash" }]);
    expect((await other.get("/profile")).status).toBe(200);
    other.cookies.clear();
    await givePassword(other);
    expect((await other.get("/sign-in/second-factor")).text).toContain("Use a passkey");
    expect((await use("factor")).status).toBe(200);
    expect((await other.get("/profile")).status).toBe(200);
  });

  test.each([
    ["no JSON", "x", 400],
    ["a list", "[]", 400],
    ["no credential", "{}", 400],
    ["a wrong credential", '{"credential": {"id": 1}}', 400],
    ["a long one", JSON.stringify({ credential: { id: "x".repeat(5000) } }), 400],
  ])("request with %s is refused", async (_name, body, status) => {
    await using t = await annsSite();
    const request = { method: "POST", headers: { Host: "localhost", Origin: ORIGIN }, body };
    const response = await t.app.handle(new Request(`${ORIGIN}/sign-in/passkey`, request));
    expect(response.status).toBe(status);
  });
});

describe("known, unknown and disabled addresses", () => {
  const addresses = ["known@example.com", "unknown@example.com", "disabled@example.com", ANN, "none@example.com"];

  const site = async () => {
    const t = await annsSite();
    const { ctx } = t.app;
    await addUser(ctx, { email: "known@example.com", name: "Known", password: PASSWORD });
    await addUser(ctx, { email: "none@example.com", name: "No Password" });
    const disabled = await addUser(ctx, { email: "disabled@example.com", name: "Disabled", password: PASSWORD });
    revokeUserAccess(ctx, disabled);
    return t;
  };

  test("get the same response to a wrong password, after the same work", async () => {
    await using t = await site();
    const verify = spyOn(Bun.password, "verify");
    const seen = new Set<string>();
    for (const [i, email] of addresses.entries()) {
      verify.mockClear();
      const client = new Client(t, `192.0.2.${i}`);
      const answer = await client.form("/sign-in", { email, password: "wrong horse" });
      const body = answer.text.replaceAll(email, "ADDRESS");
      seen.add(JSON.stringify([answer.status, body, [...client.cookies.keys()], verify.mock.calls.length]));
    }
    verify.mockRestore();
    expect(seen.size).toBe(1);
    expect([...seen][0]).toEndWith(",[],1]");
  });

  test("get the same response to the start of a passkey", async () => {
    await using t = await site();
    const seen = new Set<string>();
    for (const email of addresses) {
      const client = new Client(t);
      const answer = await client.json("POST", "/sign-in/passkey/options", { use: "signIn", email });
      const { challenge, ...options } = JSON.parse(answer.text) as Record<string, unknown>;
      const cookie = client.cookies.get("quern_passkey") ?? "";
      seen.add(JSON.stringify([answer.status, options, String(challenge).length, cookie.length]));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).not.toContain("allowCredentials");
  });
});
