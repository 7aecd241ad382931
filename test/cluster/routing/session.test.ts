/** A whole session of a user, whose every request goes to another node than the one before. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { runCommand } from "../../helpers/server-process.ts";
import { startNodes, type TestCluster } from "../nodes.ts";
import { AlternatingClient, BEHIND_PROXY, ORIGIN } from "./alternating.ts";

const PASSWORD = "correct horse battery";

/** Sets a password through the link that an administrator sends, and signs in. */
async function signIn(cluster: TestCluster): Promise<AlternatingClient> {
  const client = new AlternatingClient(cluster);
  const link = await runCommand(
    { folder: cluster.nodes[0]?.folder ?? "" },
    "user",
    "reset",
    "--email",
    "ada@example.com",
  );
  const token = new URL(link.trim().split(/\s/).at(-1) ?? "").searchParams.get("token") ?? "";
  // The command wrote beside the server, which puts it into the log with its next answer.
  await cluster.nodes[0]?.call("/orgs");
  const chosen = await client.form("/reset-password", { token, password: PASSWORD });
  expect(chosen.status).toBe(303);
  client.cookie = null;
  const signedIn = await client.form("/sign-in", { email: "ada@example.com", password: PASSWORD, next: "/" });
  expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/"]);
  expect(signedIn.headers.get("set-cookie")).toContain("Secure");
  return client;
}

describe.skipIf(!HAS_POSTGRES)(`a session on two nodes in turns${POSTGRES_NEEDED}`, () => {
  test("signs in, works with documents by API and pages, and signs out", async () => {
    await using cluster = await startNodes(2, { settings: BEHIND_PROXY });
    const client = await signIn(cluster);
    const pageTitles = async (path: string) => {
      const titles: string[] = [];
      for (let i = 0; i < cluster.nodes.length; i++) {
        const page = await client.page(path);
        expect([path, page.status]).toEqual([path, 200]);
        const [, title = ""] = /<title>(.*?)<\/title>/.exec(await page.text()) ?? [];
        titles.push(title);
      }
      expect(new Set(titles).size).toBe(1);
      return titles[0] ?? "";
    };

    const workspace = await client.api<number>("POST", "/orgs/current/workspaces", { name: "Work" });
    const doc = await client.api<string>("POST", `/workspaces/${workspace}/docs`, { name: "Orders" });
    const docs = `/docs/${doc}`;
    const table = `${docs}/tables/Table1`;
    const added: number[] = [];
    for (let i = 0; i < 6; i++) {
      const { records } = await client.api<{ records: { id: number }[] }>("POST", `${table}/records`, {
        records: [{ fields: { A: `row ${i}` } }],
      });
      added.push(...records.map(({ id }) => id));
    }
    expect(added).toEqual([1, 2, 3, 4, 5, 6]);
    for (let i = 0; i < 2; i++) {
      const { records } = await client.api<{ records: object[] }>("GET", `${table}/records`);
      expect(records).toHaveLength(6);
      const { records: found } = await client.api<{ records: object[] }>(
        "GET",
        `${docs}/sql?q=select%20A%20from%20Table1`,
      );
      expect(found).toHaveLength(6);
    }

    expect(await pageTitles("/")).toContain("Quern");
    for (const path of ["/pages/1", "/tables/Table1", "/history", "/sql", "/code", "/webhooks", "/sharing"]) {
      expect(await pageTitles(docs + path)).toContain("Orders");
    }
    for (const path of ["/profile", "/trash", "/help", "/reference"]) await pageTitles(path);

    await client.api("PATCH", docs, { name: "Renamed" });
    expect(await pageTitles(`${docs}/pages/1`)).toContain("Renamed");
    const copy = await client.api<string>("POST", `${docs}/copy`, { workspaceId: workspace, documentName: "Copy" });
    for (let i = 0; i < 2; i++) {
      const { records } = await client.api<{ records: object[] }>("GET", `/docs/${copy}/tables/Table1/records`);
      expect(records).toHaveLength(6);
    }
    await client.api("POST", `${docs}/webhooks`, {
      webhooks: [{ fields: { url: "https://hooks.example.org/", eventTypes: ["add"], tableId: "Table1" } }],
    });
    for (let i = 0; i < 2; i++) {
      const { webhooks } = await client.api<{ webhooks: object[] }>("GET", `${docs}/webhooks`);
      expect(webhooks).toHaveLength(1);
    }

    const renamed = await client.form("/profile/name", { name: "Ada L." });
    expect(renamed.status).toBeLessThan(400);
    for (let i = 0; i < 2; i++)
      expect((await client.api<{ name: string }>("GET", "/profile/user")).name).toBe("Ada L.");
    const { key } = await client.api<{ key: string }>("POST", "/profile/keys", { label: "script" });
    for (let i = 0; i < 2; i++) {
      const response = await client.send(`/api${table}/records`, {
        headers: { Authorization: `Bearer ${key}`, Cookie: "" },
      });
      expect(response.status).toBe(200);
    }

    await client.api("POST", `${docs}/remove`);
    for (let i = 0; i < 2; i++) expect((await client.send(`/api${table}/records`)).status).toBe(404);
    await client.api("POST", `${docs}/unremove`);
    for (let i = 0; i < 2; i++) expect((await client.send(`/api${table}/records`)).status).toBe(200);

    expect((await client.form("/sign-out", {}, { Origin: "https://evil.example" })).status).toBe(403);
    const { cookie } = client;
    expect((await client.form("/sign-out", {})).status).toBe(303);
    client.cookie = cookie;
    for (let i = 0; i < 2; i++) expect((await client.page("/profile")).status).toBe(303);
    for (let i = 0; i < 2; i++) expect((await client.send(`/api${table}/records`)).status).toBe(403);
  }, 120_000);

  test("uploads, downloads and attachments are whole, with ranges and ETags", async () => {
    await using cluster = await startNodes(2, { settings: BEHIND_PROXY });
    const client = await signIn(cluster);
    const workspace = await client.api<number>("POST", "/orgs/current/workspaces", { name: "Work" });
    const doc = await client.api<string>("POST", `/workspaces/${workspace}/docs`, { name: "Files" });
    const content = new Uint8Array(3_000_000).map((_, i) => (i * 7919) % 251);
    for (let round = 0; round < 2; round++) {
      const form = new FormData();
      form.append("upload", new File([content], "data.bin"));
      const uploaded = await client.send(`/api/docs/${doc}/attachments`, {
        method: "POST",
        body: form,
        headers: { "X-Requested-With": "XMLHttpRequest", Origin: ORIGIN },
      });
      expect(uploaded.status).toBe(200);
      const [id] = (await uploaded.json()) as number[];
      for (let i = 0; i < 2; i++) {
        const path = `/api/docs/${doc}/attachments/${id}/download`;
        const whole = await client.send(path);
        expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
        const part = await client.send(path, { headers: { Range: "bytes=1000000-2000000" } });
        expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1000000-2000000/3000000"]);
        expect(Buffer.from(await part.arrayBuffer()).equals(content.slice(1_000_000, 2_000_001))).toBe(true);
        const etag = whole.headers.get("etag") ?? "";
        expect((await client.send(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
        const head = await client.send(path, { method: "HEAD" });
        expect([head.status, head.headers.get("content-length")]).toEqual([200, "3000000"]);
      }
    }
    for (let i = 0; i < 2; i++) {
      const records = await client.send(`/api/docs/${doc}/tables/Table1/records`);
      const condition = { "If-None-Match": records.headers.get("etag") ?? "" };
      expect((await client.send(`/api/docs/${doc}/tables/Table1/records`, { headers: condition })).status).toBe(304);
      const page = await client.send(`/docs/${doc}/pages/1`, {
        headers: { Accept: "text/html", "Accept-Encoding": "gzip" },
      });
      expect(await page.text()).toContain("Table1");
      const file = await client.send(`/api/docs/${doc}/download`);
      expect(
        Buffer.from(await file.arrayBuffer())
          .subarray(0, 15)
          .toString(),
      ).toBe("SQLite format 3");
    }
    const csv = new FormData();
    csv.append("upload", new File(["Name,Count\nApples,3\n"], "fruit.csv"));
    const headers = { "X-Requested-With": "XMLHttpRequest", Origin: ORIGIN };
    const preview = await client.send(`/api/workspaces/${workspace}/import?dryRun=1`, {
      method: "POST",
      body: csv,
      headers,
    });
    const { uploadId } = (await preview.json()) as { uploadId: number };
    const imported = await client.api<{ id: string }>("POST", `/workspaces/${workspace}/import`, { uploadId });
    const { tables } = await client.api<{ tables: { id: string }[] }>("GET", `/docs/${imported.id}/tables`);
    expect(tables.map(({ id }) => id)).toEqual(["Fruit"]);
  }, 120_000);
});
