/**
 * Everything that programs outside of this repository rely on: the OpenAPI description without its texts, settings,
 * commands, the home database, the tables that Quern adds to documents, frozen messages and codes, names of headers,
 * cookies and events. A difference breaks compatibility; additions belong in the snapshot: `QUERN_UPDATE_FROZEN=1 bun
 * test test/frozen`.
 */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/commands/run.ts";
import { settingList } from "../../src/config.ts";
import { CODES, GENERAL_CODES, INTERNAL_CODE } from "../../src/errors/codes.ts";
import { FROZEN } from "../../src/errors/frozen-messages.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { routes } from "../../src/http/routes.ts";
import { clearSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { endFrame, readyFrame, resetFrame } from "../../src/services/events/event-frames.ts";
import { testApp } from "../helpers/app.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";

const FOLDER = join(import.meta.dir, "snapshots");

/** Compares a value with its snapshot, or updates the snapshot if requested. */
function expectFrozen(name: string, value: unknown): void {
  const file = join(FOLDER, `${name}.json`);
  const text = `${JSON.stringify(value, null, 1)}\n`;
  if (process.env["QUERN_UPDATE_FROZEN"] === "1") writeFileSync(file, text);
  expect(existsSync(file), `${file} exists`).toBe(true);
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, "utf8")));
}

const PROSE = new Set(["summary", "description", "example", "examples"]);

/** Returns a part of the OpenAPI document without texts, with sorted keys. Keys of `properties` are names of data. */
function withoutProse(part: unknown, areNames = false): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutProse(item));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part)
    .filter(([key]) => areNames || !PROSE.has(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutProse(value, key === "properties")]));
}

test("the API's paths, parameters, keys, statuses and operation ids are frozen", () => {
  const { info, ...document } = describeApi(routes, "/") as { info: object };
  expect(info).toBeDefined();
  expectFrozen("openapi", withoutProse(document));
});

test("settings and commands are frozen", () => {
  expectFrozen(
    "settings",
    settingList().map(({ flag, env, takes, fallback }) => ({ flag, env, takes, fallback })),
  );
  expectFrozen(
    "commands",
    COMMANDS.map(({ name, options, operands = [], takesSettings = false }) => ({
      name,
      options: options.map(({ name: option, takes, required = false }) => ({ option, takes, required })),
      operands,
      takesSettings,
    })),
  );
});

test("error codes and the messages that existing programs match are frozen", () => {
  expectFrozen("error-codes", {
    codes: Object.fromEntries(Object.entries(CODES).map(([kind, codes]) => [kind, Object.keys(codes)])),
    general: GENERAL_CODES,
    internal: INTERNAL_CODE,
  });
  const sentences = Object.entries(FROZEN).map(([key, { code, message, example }]) => {
    const render = message as (...values: readonly unknown[]) => string;
    return { key, code, text: render(...example) };
  });
  expectFrozen("error-sentences", sentences);
});

/** Returns names and definitions of the objects in a database. */
function schemaOf(path: string, pattern: string): unknown {
  using db = new Database(path, { readonly: true });
  return db
    .query(
      "select type, name, sql from sqlite_master where name like ?1 escape '\\' or tbl_name like ?1 escape '\\' order by type, name",
    )
    .all(pattern);
}

test("stored data is frozen: the home database, and the tables that Quern adds to documents", async () => {
  await using server = await testApp();
  expectFrozen("home-schema", schemaOf(join(server.folder, "home.sqlite"), "%"));
});

test("names of cookies, events and the headers of deliveries are frozen", async () => {
  using receiver = new WebhookReceiver();
  await using server = await testApp({ flags: { "webhook-allow": "127.0.0.0/8" } });
  const workspace = await server.must<number>("POST", "/api/orgs/current/workspaces", { name: "W" });
  const doc = await server.must<number>("POST", `/api/workspaces/${workspace}/docs`, { name: "D" });
  const hook = { fields: { name: "all", eventTypes: ["add"], tableId: "Table1", url: receiver.url, enabled: true } };
  await server.must("POST", `/api/docs/${doc}/webhooks`, { webhooks: [hook] });
  await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "x" } }] });
  const [delivery] = await receiver.next();
  const at = { id: "1", action: 1 };
  expectFrozen("protocol", {
    cookie: clearSessionCookie(),
    events: [readyFrame(at), resetFrame(at, "history"), endFrame("access")],
    deliveryHeaders: [...(delivery?.headers.keys() ?? [])].toSorted(),
    deliveryFields: Object.keys(delivery?.rows[0] ?? {}),
  });
  const [file] = [...new Bun.Glob("docs/*/document.grist").scanSync(server.folder)];
  expectFrozen("document-tables", schemaOf(join(server.folder, file ?? ""), "\\_quern\\_%"));
});
