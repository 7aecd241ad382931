import { describe, expect, test } from "bun:test";
import { adasApp, PASSWORD } from "./visitor.ts";

describe("the profile", () => {
  test("shows a new key once, on a page that nobody keeps", async () => {
    await using t = await adasApp();
    const made = await t.ada.post("/profile/key");
    const key = /value="([0-9a-f]{40})"/.exec(made.html)?.[1] ?? "";
    expect(made.status).toBe(200);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const again = await t.ada.post("/profile/key");
    expect([again.status, again.html.includes("There is an API key; remove it to make another.")]).toEqual([400, true]);
    for (const page of [again, await t.ada.get("/profile")]) {
      expect(page.html).not.toContain(key);
      expect(page.html).toContain(key.slice(0, 6).padEnd(40, "*"));
    }
  });

  test("removes the key, also when there is none any more", async () => {
    await using t = await adasApp();
    await t.ada.post("/profile/key");
    for (let i = 0; i < 2; i++) {
      const removed = await t.ada.post("/profile/key/remove");
      expect([removed.status, removed.to]).toEqual([303, "/profile?done=key"]);
    }
    const { html } = await t.ada.get("/profile?done=key");
    expect(html).toContain("The API key is removed.");
    expect(html).toContain(">Create<");
  });

  test("says what was wrong where it was wrong", async () => {
    await using t = await adasApp();
    const cases: [string, Record<string, string>, number, string][] = [
      ["/profile/name", { name: "  " }, 400, "A name is needed."],
      ["/profile/name", {}, 400, "A name is needed."],
      ["/profile/password", { current: "wrong", next: "another horse" }, 403, "The current password is wrong."],
      ["/profile/password", { current: PASSWORD, next: "short" }, 400, "A password needs at least 8 characters."],
    ];
    for (const [path, fields, status, text] of cases) {
      const reply = await t.ada.post(path, fields);
      expect([reply.status, reply.html.includes(`role="alert">${text}<`)]).toEqual([status, true]);
    }
  });

  test("does not repeat what an address says", async () => {
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
    expect(html).toContain(`<dd>${escaped}</dd>`);
    expect(html).toContain(`value="${escaped}"`);
    expect(html.replaceAll(escaped, "")).not.toMatch(/alert|onerror|<b>|<h1>(?!Profile)/);
  });
});
