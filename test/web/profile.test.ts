import { describe, expect, test } from "bun:test";
import { USERS, type TestApp } from "../helpers/app.ts";
import { ADA, adasApp, PASSWORD, Visitor } from "./visitor.ts";

const keyOwner = ({ app }: TestApp): number => app.ctx.home.users.byEmail(ADA.email)?.id ?? 0;

describe("the profile", () => {
  test("shows a new key once, on an uncacheable page", async () => {
    await using t = await adasApp();
    const made = await t.ada.post("/profile/key");
    const key = /value="([0-9a-f]{40})"/.exec(made.html)?.[1] ?? "";
    expect(made.status).toBe(200);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const again = await t.ada.post("/profile/key");
    expect([again.status, again.html.includes("You already have an API key; delete it to create another.")]).toEqual([
      400,
      true,
    ]);
    for (const page of [again, await t.ada.get("/profile")]) {
      expect(page.html).not.toContain(key);
      expect(page.html).toContain(key.slice(0, 6).padEnd(40, "*"));
    }
  });

  test.each([
    [
      "/profile/name",
      { name: "Ada & Co" },
      "you",
      'name="name" autocomplete="name" required="" maxlength="200" value="Ada &amp; Co"',
    ],
    ["/profile/keys", { label: "Till 2", days: "30" }, "keys", 'autocomplete="off" value="Till 2"'],
    ["/profile/password", { current: PASSWORD, next: "another secret" }, "password", 'id="password"'],
  ])(
    "a form sent to %s after the session ended changes nothing, and the input is kept",
    async (path, typed, part, shown) => {
      await using t = await adasApp();
      const stranger = new Visitor(t.app);
      const asked = await stranger.post(path, typed);
      expect([asked.status, asked.to?.startsWith("/sign-in?next=%2Fprofile")]).toEqual([303, true]);
      expect(asked.to).not.toContain("secret");
      const form = await stranger.get(asked.to ?? "");
      expect(form.html).toContain("Your session has ended. Sign in to continue; nothing was changed.");
      const next = /name="next" value="([^"]*)"/.exec(form.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
      const back = await stranger.post("/sign-in", { email: ADA.email, password: PASSWORD, next });
      expect(back.to).toEndWith(`#${part}`);
      const { html } = await stranger.get(back.to?.replace(/#.*/, "") ?? "");
      expect(html).toContain(shown);
      expect(html).toContain(`<dd translate="no">${ADA.name}</dd>`);
    },
  );

  test("deletes the key, idempotently", async () => {
    await using t = await adasApp();
    await t.ada.post("/profile/key");
    for (let i = 0; i < 2; i++) {
      const removed = await t.ada.post("/profile/key/remove");
      expect([removed.status, removed.to]).toEqual([303, "/profile?done=key"]);
    }
    const { html } = await t.ada.get("/profile?done=key");
    expect(html).toContain("API key deleted.");
    expect(html).toContain(">Create<");
  });

  test("lists labelled keys with their use, and revokes one of them", async () => {
    await using t = await adasApp();
    const made = await t.ada.post("/profile/keys", { label: " Till ", days: "30" });
    const key = /value="([0-9a-f]{40})"/.exec(made.html)?.[1] ?? "";
    expect(made.status).toBe(200);
    await t.ada.post("/profile/keys", { label: "Web shop", days: "" });
    const { html } = await t.ada.get("/profile");
    expect(html).not.toContain(key);
    expect(
      html
        .match(/<li>.*?<\/li>/gs)
        ?.filter((entry) => entry.includes("Revoke"))
        .map((entry) => entry.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")),
    ).toEqual([
      expect.stringMatching(/^ Till [0-9a-f]{6}… · created [\d-]+ · never used · expires [\d-]+ Revoke $/),
      expect.stringMatching(/^ Web shop [0-9a-f]{6}… · created [\d-]+ · never used Revoke $/),
    ]);
    const call = () =>
      t.app.handle(new Request("http://quern.test/api/orgs", { headers: { Authorization: `Bearer ${key}` } }));
    expect((await call()).status).toBe(200);
    const id = /name="id" value="(\d+)"/.exec(html)?.[1] ?? "";
    expect((await t.ada.post("/profile/keys/revoke", { id })).to).toBe("/profile?done=revoked");
    expect((await call()).status).toBe(401);
    const after = (await t.ada.get("/profile?done=revoked")).html;
    expect([after.includes("Till"), after.includes("Web shop"), after.includes("Key revoked.")]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("limits a new key to scopes, documents and networks, and shows the limits", async () => {
    await using t = await adasApp();
    const fields = {
      label: "Till",
      days: "30",
      documents: "",
      "scope records:read": "1",
      "scope schema:read": "1",
      networks: "192.0.2.0/24",
    };
    const made = await t.ada.post("/profile/keys", fields);
    expect(made.html).toMatch(/value="[0-9a-f]{40}"/);
    const { html } = await t.ada.get("/profile");
    expect(html).toContain(`Scopes: <code translate="no">records:read, schema:read</code>`);
    expect(html).toContain(`Only from <code translate="no">192.0.2.0/24</code>`);
    const refused = await t.ada.post("/profile/keys", { label: "Other", days: "", networks: "10.0.0.0/99" });
    expect(refused.html).toContain("must be addresses or networks");
    expect((await t.ada.get("/profile")).html).not.toContain("Other");
  });

  test("shows when keys were last used", async () => {
    await using t = await adasApp();
    const made = await t.ada.post("/profile/key");
    const key = /value="([0-9a-f]{40})"/.exec(made.html)?.[1] ?? "";
    expect((await t.ada.get("/profile")).html).toContain("<dd>Never</dd>");
    const id = t.app.ctx.home.keys.profileKey(keyOwner(t))?.id ?? 0;
    t.app.ctx.home.keys.recordUses([[id, Date.UTC(2026, 0, 31), "192.0.2.7", 1]]);
    const { html } = await t.ada.get("/profile");
    expect(html).toContain(`<time datetime="2026-01-31T00:00:00.000Z" data-as="relative"`);
    expect(html).not.toContain(key);
  });

  test("lists the sessions, and signs other browsers out", async () => {
    await using t = await adasApp();
    const [phone, tablet] = [new Visitor(t.app), new Visitor(t.app)];
    for (const visitor of [phone, tablet]) await visitor.signIn();
    const { html } = await t.ada.get("/profile");
    const ids = [...html.matchAll(/name="id" value="([0-9a-f]{16})"/g)].map(([, id = ""]) => id);
    expect(ids).toHaveLength(2);
    expect(html).toContain("This browser");
    const isSignedIn = async (visitor: Visitor) => (await visitor.get("/profile")).status === 200;
    expect((await t.ada.post("/profile/sessions/end", { id: ids[0] ?? "" })).to).toBe("/profile?done=session");
    expect([await isSignedIn(phone), await isSignedIn(tablet)].filter(Boolean)).toHaveLength(1);
    const again = await t.ada.post("/profile/sessions/end", { id: ids[0] ?? "" });
    expect([again.status, again.html.includes("This session does not exist, or has ended.")]).toEqual([404, true]);
    expect((await t.ada.post("/profile/sessions/end-others")).to).toBe("/profile?done=sessions");
    expect([await isSignedIn(phone), await isSignedIn(tablet), await isSignedIn(t.ada)]).toEqual([false, false, true]);
    expect((await t.ada.get("/profile")).html).not.toContain("Sign out all other browsers");
  });

  test("does not revoke keys of other users, nor the profile key in place of a labelled one", async () => {
    await using t = await adasApp();
    await t.ada.post("/profile/key");
    const { keys } = t.app.ctx.home;
    const olga = t.app.ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0;
    const [olgas] = keys.listOf(olga);
    const own = keys.profileKey(keyOwner(t));
    for (const id of [String(olgas?.id), String(own?.id), "", "x"]) {
      const reply = await t.ada.post("/profile/keys/revoke", { id });
      expect([reply.status, reply.html.includes("Key not found.")]).toEqual([404, true]);
    }
    expect([keys.listOf(olga).length, keys.profileKey(keyOwner(t))?.id]).toEqual([1, own?.id]);
  });

  test("keeps a label that was refused", async () => {
    await using t = await adasApp();
    await t.ada.post("/profile/keys", { label: `"Till"`, days: "" });
    const cases: [Record<string, string>, string][] = [
      [{ label: `"Till"`, days: "" }, "A key with the label &quot;Till&quot; already exists."],
      [{ label: "Shop", days: "36500" }, "Key lifetime is too long."],
      [{ label: "Shop", days: "constructor" }, "Key lifetime is too long."],
      [{ label: " ", days: "" }, "The label must not be empty."],
    ];
    for (const [fields, text] of cases) {
      const { status, html } = await t.ada.post("/profile/keys", fields);
      expect([status, html.includes(`<p class="note problem" tabindex="-1" autofocus="">${text}<`)]).toEqual([
        400,
        true,
      ]);
      expect(html).toContain(`value="${Bun.escapeHTML(fields["label"] ?? "")}"`);
    }
    expect(t.app.ctx.home.keys.listOf(keyOwner(t)).map(({ label }) => label)).toEqual([`"Till"`]);
  });

  test("shows errors at their form", async () => {
    await using t = await adasApp();
    const cases: [string, Record<string, string>, number, string][] = [
      ["/profile/name", { name: "  " }, 400, "The name must not be empty."],
      ["/profile/name", {}, 400, "The name must not be empty."],
      ["/profile/password", { current: "wrong", next: "another horse" }, 403, "The current password is wrong."],
      ["/profile/password", { current: PASSWORD, next: "short" }, 400, "The password must have at least 8 characters."],
    ];
    for (const [path, fields, status, text] of cases) {
      const reply = await t.ada.post(path, fields);
      expect([
        reply.status,
        reply.html.includes(`<p class="note problem" tabindex="-1" autofocus="">${text}<`),
      ]).toEqual([status, true]);
    }
  });

  test("does not show texts from the URL", async () => {
    await using t = await adasApp();
    for (const word of ["<b>", "constructor", "__proto__", "nothing"]) {
      const { status, html } = await t.ada.get(`/profile?done=${encodeURIComponent(word)}`);
      expect([status, html.includes('class="note')]).toEqual([200, false]);
    }
  });

  test.each([
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `' autofocus onfocus='alert(1)`,
    `&lt;b&gt; & <b>`,
    `</title><h1>`,
  ])("shows the name %s as text", async (name) => {
    await using t = await adasApp();
    expect((await t.ada.post("/profile/name", { name })).status).toBe(303);
    const { html } = await t.ada.get("/profile");
    const escaped = Bun.escapeHTML(name).replaceAll("&#x27;", "&#39;");
    expect(html).toContain(`<dd translate="no">${escaped}</dd>`);
    expect(html).toContain(`value="${escaped}"`);
    expect(html.replaceAll(escaped, "")).not.toMatch(/alert|onerror|<b>|<h1>(?!Profile)/);
  });
});
