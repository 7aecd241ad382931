import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addUser } from "../../src/services/accounts/users.ts";
import { sampleDocument, type TestApp } from "../helpers/app.ts";
import { adasApp, PASSWORD, Visitor } from "./visitor.ts";

/** A signed-in visitor with a new account. */
async function somebody(server: TestApp, email: string): Promise<Visitor> {
  await addUser(server.app.ctx, { email, name: "Somebody", password: PASSWORD });
  const visitor = new Visitor(server.app);
  await visitor.signIn({ email, password: PASSWORD });
  return visitor;
}

const share = (server: TestApp, doc: string, users: Record<string, string>) =>
  server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users } });

describe("the pages of a document", () => {
  test("redirect anonymous users to sign in, and back", async () => {
    await using server = await adasApp();
    const { doc } = await sampleDocument(server);
    const stranger = new Visitor(server.app);
    for (const path of [`/docs/${doc}`, `/docs/${doc}/tables/Table1`, `/o/team/docs/${doc}?x=1`]) {
      const { status, to } = await stranger.get(path);
      expect([status, to]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    }
  });

  test("show Access denied or Page not found", async () => {
    await using server = await adasApp();
    const { doc } = await sampleDocument(server);
    const closed = await server.ada.get(`/docs/${doc}`);
    expect(closed.status).toBe(403);
    expect(closed.html).toContain(">Access denied</h1>");
    expect(closed.html).not.toContain("Sample");
    // The shell is still shown: the user's menu, and the sidebar with the way to the documents.
    expect(closed.html).toContain('action="/sign-out"');
    expect(closed.html).toContain('data-sidebar="open"');
    for (const path of [
      "/nothing",
      "/docs/nothing",
      "/docs/00000000-0000-4000-8000-000000000000",
      `/docs/${doc}/nothing`,
    ]) {
      const { status, html } = await server.ada.get(path);
      expect([path, status, html.includes(">Page not found</h1>")]).toEqual([path, 404, true]);
    }
  });

  test("do not exist for documents in the trash", async () => {
    await using server = await adasApp();
    const { doc } = await sampleDocument(server);
    await share(server, doc, { "ada@example.com": "owners" });
    expect((await server.ada.get(`/docs/${doc}/pages/1`)).status).toBe(200);
    await server.must("POST", `/api/docs/${doc}/remove`);
    expect((await server.ada.get(`/docs/${doc}`)).status).toBe(404);
  });

  test("have the one about sharing also when the file is damaged", async () => {
    await using server = await adasApp();
    const { doc } = await sampleDocument(server);
    await share(server, doc, { "ada@example.com": "owners" });
    writeFileSync(join(server.folder, "docs", doc, "document.grist"), "no database");
    expect((await server.ada.get(`/docs/${doc}/pages/1`)).status).toBe(500);
    const { status, html } = await server.ada.get(`/docs/${doc}/sharing`);
    expect([status, html.includes("Sample")]).toEqual([200, true]);
  });

  test("show the role to users other than owners, and a public document to all users", async () => {
    await using server = await adasApp();
    const { doc, workspaceId } = await sampleDocument(server);
    await share(server, doc, { "eve@example.com": "editors", "everyone@getgrist.com": "viewers" });
    const eve = await somebody(server, "eve@example.com");
    const asEditor = await eve.get(`/docs/${doc}/pages/1`);
    expect(asEditor.html).toContain('data-role="editors"');
    expect(asEditor.html).toContain(">Editor</span>");
    expect(asEditor.html).toContain(`href="/workspaces/${workspaceId}"`);
    expect(asEditor.html).toContain("<title>Table1 – Sample · Quern</title>");

    await share(server, doc, { "anon@getgrist.com": "viewers" });
    const asAnybody = await new Visitor(server.app).get(`/docs/${doc}/pages/1`);
    expect(asAnybody.status).toBe(200);
    expect(asAnybody.html).toContain('data-role="viewers"');
    expect(asAnybody.html).not.toContain("/workspaces/");
    expect(asAnybody.html).toContain('href="/sign-in"');
  });

  test("stay on the site of their URL", async () => {
    await using server = await adasApp();
    const { doc, workspaceId } = await sampleDocument(server);
    await share(server, doc, { "ada@example.com": "viewers" });
    expect((await server.ada.get(`/o/team/docs/${doc}`)).to).toBe(`/o/team/docs/${doc}/pages/1`);
    const { html, status } = await server.ada.get(`/o/team/docs/${doc}/pages/1`);
    expect(status).toBe(200);
    expect(html).toContain(`href="/o/team/workspaces/${workspaceId}"`);
    expect(html).toContain(`href="/o/team/docs/${doc}"`);
    expect((await server.ada.get(`/o/elsewhere/docs/${doc}`)).status).toBe(404);
    const home = await server.ada.get("/o/team/");
    expect(home.html).toContain(`href="/o/team/docs/${doc}"`);
  });
});

describe("home and trash", () => {
  test("show nothing to anonymous users, and no inaccessible site", async () => {
    await using server = await adasApp();
    await sampleDocument(server);
    expect((await new Visitor(server.app).get("/")).to).toBe("/sign-in");
    const { html } = await server.ada.get("/");
    expect(html).not.toContain("Sample");
    expect(html).not.toContain(">Team<");
    const closed = await server.ada.get("/o/team/");
    expect([closed.status, closed.html.includes("Nothing shared with you")]).toEqual([200, true]);
  });

  test("link to each site's URL, with its own host where configured", async () => {
    await using server = await adasApp({ flags: { "base-domain": "quern.test" } });
    const { doc } = await sampleDocument(server);
    await share(server, doc, { "ada@example.com": "viewers" });
    expect((await server.ada.get("/")).html).toContain('href="http://team.quern.test/"');
    await using plain = await adasApp();
    const other = await sampleDocument(plain);
    await share(plain, other.doc, { "ada@example.com": "viewers" });
    expect((await plain.ada.get("/")).html).toContain('href="/o/team/"');
  });

  test("omit a site without accessible documents for a guest", async () => {
    await using server = await adasApp();
    const { doc } = await sampleDocument(server);
    await share(server, doc, { "ada@example.com": "owners" });
    await server.must("POST", `/api/docs/${doc}/remove`);
    expect((await server.ada.get("/")).html).not.toContain("Sample");
    const trash = await server.ada.get("/trash");
    expect([trash.status, trash.html.includes("The trash is empty")]).toEqual([200, true]);
  });
});

test("the page of a workspace shows a guest what is shared with them, and others nothing", async () => {
  await using server = await adasApp();
  const { doc, workspaceId } = await sampleDocument(server);
  await server.must("POST", `/api/workspaces/${workspaceId}/docs`, { name: "Secret yeast" });
  const path = `/workspaces/${workspaceId}`;
  const denied = await server.ada.get(path);
  expect([denied.status, denied.html.includes("Sample"), denied.html.includes("Work")]).toEqual([403, false, false]);
  await share(server, doc, { "ada@example.com": "viewers" });
  const shown = await server.ada.get(path);
  expect([shown.status, shown.html.includes("Sample"), shown.html.includes("Secret yeast")]).toEqual([
    200,
    true,
    false,
  ]);
  expect((await server.ada.get("/workspaces/999999")).status).toBe(404);
  expect((await server.ada.get("/workspaces/abc")).status).toBe(400);
  // The address of a site has the workspaces of that site only.
  expect((await server.ada.get(`/o/team${path}`)).status).toBe(200);
  expect((await server.ada.get(`/o/elsewhere${path}`)).status).toBe(404);
});
