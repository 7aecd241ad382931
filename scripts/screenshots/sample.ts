/** The content of the screenshots: a small bakery's site, created through the API like any other. */
import { join } from "node:path";
import { $ } from "bun";
import type { App } from "../../src/app.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../src/services/access/guards.ts";
import { createKey } from "../../src/services/accounts/keys.ts";
import { issueReset, resetPath } from "../../src/services/accounts/password-resets.ts";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { addUser } from "../../src/services/accounts/users.ts";

export interface Sample {
  /** Session cookie of the signed-in user. */
  readonly session: string;
  /** Calls the API as that user. */
  readonly call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** UUID of a document with tables of several kinds. */
  readonly docId: string;
  /** UUID of a nearly empty document. */
  readonly otherDocId: string;
  readonly workspaceId: number;
  /** Path on which an invited user sets a password. */
  readonly resetPath: string;
}

export const ADA = { email: "ada@example.com", name: "Ada Baker", isAdmin: true };
const BEN = { email: "ben@example.com", name: "Ben Miller" };

/** Fills a fresh server. */
export async function makeSample(app: App, address: string): Promise<Sample> {
  const { ctx } = app;
  const keys: string[] = [];
  for (const person of [ADA, BEN]) {
    await addUser(ctx, person);
    keys.push(createKey(ctx, guardSignedIn(actorForCommand(ctx, person.email)), { label: "Sample" }));
  }
  const [adas = "", bens = ""] = keys;
  const call = callWith(address, adas);
  await $`${process.execPath} ${join(import.meta.dir, "../sample.ts")} ${address} ${adas}`.quiet();
  await makeTeam(call);
  await shareFromBen(callWith(address, bens));
  const [home] = await call<{ id: number; docs: { uuid: string; name: string }[] }[]>(
    "GET",
    "/orgs/current/workspaces",
  );
  const stock = home?.docs.find(({ name }) => name === "Workshop stock");
  if (!home || !stock) throw new Error("the sample document was not made");
  const other = await call<string>("POST", `/workspaces/${home.id}/docs`, { name: "Household" });
  await makeWebhooks(call, stock.uuid);
  const users = { [BEN.email]: "editors", "new.baker@example.com": "viewers" };
  await call("PATCH", `/docs/${stock.uuid}/access`, { delta: { users } });
  createLogProblems(app);
  const invited = ctx.home.users.byEmail("new.baker@example.com");
  const reset = invited ? resetPath(issueReset(ctx, invited).token) : "";
  const ada = ctx.home.users.byEmail(ADA.email)?.id ?? 0;
  const { token } = ctx.home.transaction(() => {
    startSession(ctx, ada, DESKTOP);
    return startSession(ctx, ada, PHONE);
  });
  return { session: token, call, docId: stock.uuid, otherDocId: other, workspaceId: home.id, resetPath: reset };
}

const DESKTOP = {
  address: "2001:db8:85a3::8a2e:370:7334",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  device: null,
};

const PHONE = {
  address: "192.0.2.1",
  userAgent:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  device: null,
};

type Call = Sample["call"];

/** Calls the API with a key; throws on errors. */
const callWith =
  (address: string, key: string): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${address}/api${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

/** No events occur that these webhooks would deliver, so no server is called. */
async function makeWebhooks(call: Call, docId: string): Promise<void> {
  const shop = {
    name: "Web shop",
    memo: "Keeps what the shop shows in step with the shelves.",
    url: "https://shop.example.com/hooks/stock",
    tableId: "Stock",
    eventTypes: ["add", "update", "remove"],
    watchedColIds: ["Quantity", "Price"],
    authorization: "Bearer 6f1d0c",
    headers: { "X-Team": "counter" },
  };
  const chat = {
    url: "https://chat.example.com/fragile",
    tableId: "Stock",
    eventTypes: ["add"],
    isReadyColumn: "Fragile",
  };
  const webhooks = [{ fields: shop }, { fields: { ...chat, enabled: false } }];
  await call("POST", `/docs/${docId}/webhooks`, { webhooks });
}

/** Log entries that such a server might have. */
function createLogProblems({ ctx: { log } }: App): void {
  log.warn("web.form_refused", {
    requestId: "5f1c9a",
    origin: "http://10.0.0.7:8080",
    expected: "https://quern.example.com",
  });
  const error =
    "Error: disk I/O error\n    at #commit (src/sqlite/database.ts:120:9)\n    at apply (src/doc/write.ts:61:3)";
  log.error("http.request_failed", { requestId: "7b20d4", path: "/api/docs/8a1f/apply", error });
}

async function makeTeam(call: Call): Promise<void> {
  const site = await call<number>("POST", "/orgs", { name: "Corner Bakery", domain: "bakery" });
  const names = ["Orders", "Recipes", "Suppliers and their deliveries of the last five years"];
  await call("POST", "/orgs", { name: "Garden", domain: "garden" });
  const workspace = await call<number>("POST", `/orgs/${site}/workspaces`, { name: "Daily work" });
  const made: string[] = [];
  for (const name of names) made.push(await call<string>("POST", `/workspaces/${workspace}/docs`, { name }));
  await call("PATCH", `/docs/${made[0]}/pin`, {});
  await call("POST", `/orgs/${site}/workspaces`, { name: "Accounting" });
  const old = await call<string>("POST", `/workspaces/${workspace}/docs`, { name: "Orders 2024" });
  await call("POST", `/docs/${old}/remove`, {});
  const archive = await call<number>("POST", `/orgs/${site}/workspaces`, { name: "Old ideas" });
  await call("POST", `/workspaces/${archive}/docs`, { name: "Second shop" });
  await call("POST", `/workspaces/${archive}/remove`, {});
}

/** A document that another user shares with Ada read-only. */
async function shareFromBen(call: Call): Promise<void> {
  const [workspace] = await call<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const doc = await call<string>("POST", `/workspaces/${workspace?.id}/docs`, { name: "Flour prices" });
  await call("PATCH", `/docs/${doc}/access`, { delta: { users: { [ADA.email]: "viewers" } } });
}
