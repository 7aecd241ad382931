/** A data folder that version 0.1.0 wrote, in this version. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedAnswer } from "../../scripts/upgrade-fixture/installation.ts";
import { headersOf, readAnswer } from "../../scripts/upgrade-fixture/recorded-answers.ts";
import type { App } from "../../src/app.ts";
import { createLog } from "../../src/lib/observability/log.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";
import { checksums, type FormerFolder, formerFolder, openInThisVersion } from "./former-folder.ts";
import { HOME_VERSION } from "./home-version.ts";

const HOST = "127.0.0.1:1";

async function read(app: App, { installation }: FormerFolder, as: string, path: string) {
  const headers = { Host: HOST, ...headersOf(installation, as) };
  return readAnswer(await app.handle(new Request(`http://${HOST}${path}`, { headers })));
}

async function send(app: App, { installation }: FormerFolder, method: string, path: string, body: unknown = {}) {
  const headers = { Host: HOST, "Content-Type": "application/json", ...headersOf(installation, "admin") };
  const request = new Request(`http://${HOST}${path}`, { method, headers, body: JSON.stringify(body) });
  const response = await app.handle(request);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

const omit = (fields: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Answers that this version gives differently on purpose. */
function expected({ as, path, status, body }: RecordedAnswer): unknown {
  // Sentences of refusals have changed.
  if (status >= 400) return { status };
  // A summary hides totals of a column that the caller cannot read.
  if (["editor", "viewer", "service"].includes(as) && path.includes("_summary_")) {
    const { records } = body as { records: { id: number; fields: Record<string, unknown> }[] };
    const visible = records.map(({ id, fields }) => ({ id, fields: omit(fields, "Margin") }));
    return { status, body: { records: visible } };
  }
  // The deliverer continues its attempts.
  if (path.endsWith("/webhooks")) {
    const { webhooks } = body as { webhooks: { id: string; fields: object; usage: { numWaiting: number } }[] };
    const kept = webhooks.map(({ id, fields, usage: { numWaiting } }) => ({ id, fields, usage: { numWaiting } }));
    return { status, body: { webhooks: kept } };
  }
  if (path.endsWith("/snapshots")) {
    const { snapshots } = body as { snapshots: object[] };
    return { status, body: { snapshots: [{ snapshotId: "current" }, ...snapshots] } };
  }
  return { status, body };
}

test("every reader gets the answers of version 0.1, with the keys and sessions of that version", async () => {
  const former = await formerFolder();
  const { answers } = former.installation;
  await using app = openInThisVersion(former);
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ as }) => as)).size).toBe(7);
  for (const answer of answers) {
    const { as, path } = answer;
    const now = await read(app, former, as, path);
    expect({ as, path, ...now }).toMatchObject({ as, path, ...(expected(answer) as object) });
  }
});

test("documents of version 0.1 get a change counter when they are opened, and keep it", async () => {
  const former = await formerFolder();
  const path = `/o/tea/api/docs/${former.installation.documents.orders}/tables`;
  const tagOf = async () => {
    await using app = openInThisVersion(former);
    const headers = { Host: HOST, ...headersOf(former.installation, "admin") };
    const response = await app.handle(new Request(`http://${HOST}${path}`, { headers }));
    await response.text();
    return response.headers.get("ETag");
  };
  const tag = await tagOf();
  expect(tag).toMatch(/[0-9a-f]{32}/);
  expect(await tagOf()).toBe(tag ?? "");
});

describe("after the upgrade", () => {
  test("documents can be changed: formulas, summaries and rules of version 0.1 apply", async () => {
    const former = await formerFolder();
    const doc = `/o/tea/api/docs/${former.installation.documents.orders}`;
    await using app = openInThisVersion(former);
    await send(app, former, "PATCH", `${doc}/tables/Orders/records`, { records: [{ id: 2, fields: { Price: 100 } }] });
    const orders = await read(app, former, "editor", `${doc}/tables/Orders/records?filter={"id":[2]}`);
    expect(orders.body).toEqual({ records: [{ id: 2, fields: expect.objectContaining({ Price: 100, Total: 100 }) }] });
    expect(JSON.stringify(orders.body)).not.toContain("Margin");
    const summary = await read(app, former, "admin", `${doc}/tables/Orders_summary_Customer/records`);
    expect(summary.body).toMatchObject({ records: [{ fields: { Total: 2565 } }, { fields: { Total: 2384.5 } }] });
  });

  test("documents are restored from the trash, and states from the history", async () => {
    const former = await formerFolder();
    const { documents } = former.installation;
    await using app = openInThisVersion(former);
    const trashed = `/o/tea/api/docs/${documents.trashed}`;
    await send(app, former, "POST", `${trashed}/unremove`);
    const rows = await read(app, former, "admin", `${trashed}/tables/Table1/records`);
    expect(rows.body).toMatchObject({ records: [{ fields: { A: "kept" } }] });
    const orders = `/o/tea/api/docs/${documents.orders}`;
    // State 7 removed one order.
    await send(app, former, "POST", `${orders}/states/6/restore`);
    const restored = await read(app, former, "admin", `${orders}/tables/Orders/records`);
    expect((restored.body as { records: unknown[] }).records).toHaveLength(40);
  });

  test("a snapshot of version 0.1 replaces the content", async () => {
    const former = await formerFolder();
    const doc = `/o/tea/api/docs/${former.installation.documents.notes}`;
    await using app = openInThisVersion(former);
    const { body } = await read(app, former, "admin", `${doc}/snapshots`);
    const { snapshots } = body as { snapshots: { snapshotId: string }[] };
    await send(app, former, "POST", `${doc}/replace`, { snapshotId: snapshots[1]?.snapshotId });
    const rows = await read(app, former, "anon", `${doc}/tables/Table1/records`);
    expect(rows.body).toMatchObject({ records: [{ fields: { A: "first" } }] });
  });

  test("queued deliveries of version 0.1 are sent in order", async () => {
    const former = await formerFolder();
    using receiver = new WebhookReceiver();
    const { documents, webhookId } = former.installation;
    await using app = openInThisVersion(former, { flags: { "webhook-allow": receiver.host }, clock: "system" });
    const url = `${receiver.url}/orders`;
    await send(app, former, "PATCH", `/o/tea/api/docs/${documents.orders}/webhooks/${webhookId}`, { url });
    const rowsOf = () => receiver.received.flatMap(({ rows }) => rows);
    await receiver.until(() => rowsOf().length >= 61);
    expect(
      rowsOf()
        .slice(0, 40)
        .map(({ id }) => id),
    ).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(rowsOf()[40]).toMatchObject({ id: 5, Amount: 99 });
  });
});

test("a start upgrades the home database with a backup, and leaves the documents' files as they are", async () => {
  const former = await formerFolder();
  const before = checksums(join(former.data, "docs"));
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (text) => lines.push(...text.trimEnd().split("\n")) });
  await using app = openInThisVersion(former, { log });
  await app.close();
  const [started, completed] = lines.map((line) => JSON.parse(line) as { event: string; backup: string });
  expect([started, completed]).toMatchObject([
    { event: "upgrade.started", database: "home", from: 2, to: HOME_VERSION, backup: null },
    { event: "upgrade.completed", database: "home", from: 2, to: HOME_VERSION },
  ]);
  expect(
    readFileSync(completed?.backup ?? "")
      .subarray(0, 15)
      .toString(),
  ).toBe("SQLite format 3");
  expect(checksums(join(former.data, "docs"))).toEqual(before);
});
