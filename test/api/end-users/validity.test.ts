/** What ends a token, checked with each request. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeToken } from "../../../src/services/tokens/token-format.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { insertKey, type NewKey } from "../../../src/services/accounts/keys.ts";
import { storedLimits } from "../../../src/services/keys/limits.ts";
import { claimsOf, endUserOfToken } from "../../../src/services/tokens/end-users.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { MINUTE, TestClock } from "../../helpers/clock.ts";
import { callWithToken } from "../../helpers/end-users.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

const clock = new TestClock();
let server: TestApp;
let place: DocumentFixture;
/** Olga's key, a further one for each test. */
let key: string;
let keyCount = 0;

// Of its own for each test, which changes users, grants and secrets.
beforeEach(async () => {
  server = await testApp({ clock });
  place = await createDocumentFixture(server);
  key = addKey();
});
afterEach(() => server[Symbol.asyncDispose]());

const olga = () => guardSignedIn(actorForCommand(server.app.ctx, "olga@example.com")).actor;

function addKey(input: NewKey = {}): string {
  const { ctx } = server.app;
  return ctx.home.transaction(() => insertKey(ctx, olga().userId, { label: `key ${++keyCount}`, ...input }));
}

const keyId = () => Math.max(...server.app.ctx.home.keys.listOf(olga().userId).map(({ id }) => id));

async function create(body: object = {}, as = key): Promise<string> {
  const given = { email: "eve@app.example", role: "editors", ...body };
  const reply = await callWithToken(server, as, ["POST", `${place.doc}/tokens`, given]);
  expect(reply.status).toBe(200);
  return (reply.body as { token: string }).token;
}

async function outcome(token: string): Promise<[status: number, code: string | null]> {
  const { status, body } = await callWithToken(server, token, ["GET", `${place.doc}/tables`]);
  return [status, body.details?.code ?? null];
}

const sql = (text: string, ...values: (string | number | null)[]) =>
  server.app.ctx.home.transaction(() => server.app.ctx.home.raw.run(text, ...values));

const limit = (given: { scopes?: string[]; restrictions?: object }) => {
  const NONE = { sites: [], workspaces: [], documents: [], tables: {} };
  const { scopes, restrictions } = storedLimits({
    scopes: (given.scopes ?? null) as never,
    restrictions: given.restrictions ? { ...NONE, ...given.restrictions } : null,
    networks: null,
  });
  sql("update api_keys set scopes = ?, restrictions = ? where id = ?", scopes, restrictions, keyId());
};

const OK = [200, null] as const;
const INVALID = [401, "auth.token_invalid"] as const;

describe("a token ends", () => {
  test.each<[cause: string, cause: () => unknown]>([
    ["its key is revoked", () => server.must("DELETE", `/api/profile/keys/${keyId()}`)],
    ["its key has another hash", () => sql("update api_keys set hash = ? where id = ?", "f".repeat(64), keyId())],
    ["its key expires", () => sql("update api_keys set expires_at = ? where id = ?", clock.now(), keyId())],
    ["its key lost the scope", () => limit({ scopes: ["records:read"] })],
    ["its key is limited to another document", () => limit({ restrictions: { documents: [crypto.randomUUID()] } })],
    ["its key is limited to another workspace", () => limit({ restrictions: { workspaces: [999_999] } })],
    ["its key is limited to tables", () => limit({ restrictions: { tables: { [place.uuid]: ["Table1"] } } })],
    ["its user is disabled", () => sql("update users set disabled_at = 1 where id = ?", olga().userId)],
    ["its user is no owner", () => sql("update grants set role = 'editors' where user_id = ?", olga().userId)],
    ["its user has no access", () => sql("delete from grants where user_id = ?", olga().userId)],
    ["the document is in the trash", () => sql("update documents set removed_at = 1 where uuid = ?", place.uuid)],
    ["its workspace is in the trash", () => sql("update workspaces set removed_at = 1 where id = ?", place.shelfId)],
    ["the document is disabled", () => sql("update documents set disabled_at = 1 where uuid = ?", place.uuid)],
    ["the document is deleted", () => sql("delete from documents where uuid = ?", place.uuid)],
    ["the secret is another", () => sql("update installation_secrets set value = x'00' where name = 'token'")],
  ])("when %s", async (_, cause) => {
    const token = await create();
    expect(await outcome(token)).toEqual([...OK]);
    await cause();
    expect(await outcome(token)).toEqual([...INVALID]);
  });

  test("when it expires, to the millisecond", async () => {
    const token = await create({ expiresIn: 60 });
    clock.pass(MINUTE - 1);
    expect(await outcome(token)).toEqual([...OK]);
    clock.pass(1);
    expect(await outcome(token)).toEqual([401, "auth.token_expired"]);
  });
});

describe("a token goes on", () => {
  test.each<[change: string, cause: () => unknown]>([
    [
      "its key is limited to networks",
      () => sql("update api_keys set networks = '[\"192.0.2.0/24\"]' where id = ?", keyId()),
    ],
    ["its key is limited to the document", () => limit({ restrictions: { documents: [place.uuid] } })],
    ["its key is limited to the workspace", () => limit({ restrictions: { workspaces: [place.shelfId] } })],
    ["the document is renamed", () => server.must("PATCH", place.doc, { name: "Renamed" })],
  ])("when %s", async (_, cause) => {
    const token = await create();
    await cause();
    expect(await outcome(token)).toEqual([...OK]);
  });

  test("when another key is revoked", async () => {
    const token = await create();
    addKey();
    await server.must("DELETE", `/api/profile/keys/${keyId()}`);
    expect(await outcome(token)).toEqual([...OK]);
  });
});

describe("a token that the server has not signed like this", () => {
  test.each<[what: string, change: (token: string) => string]>([
    ["without signature", (token) => token.split(".")[0] ?? ""],
    ["with a signature of another", (token) => `${token.split(".")[0]}x.${token.split(".")[1]}`],
    ["with another secret", (token) => signedWith(Buffer.alloc(32, 1), token)],
    [
      "with the secret of cookies",
      (token) => signedWith(server.app.ctx.home.secrets.find("device") ?? Buffer.alloc(0), token),
    ],
  ])("%s", async (_, change) => {
    expect(await outcome(change(await create()))).toEqual([...INVALID]);
  });

  test("a role that the server does not issue gives no more than the key has", async () => {
    const { ctx } = server.app;
    const claims = claimsOf(endUserOfToken(ctx, await create()));
    const secret = ctx.home.secrets.find("token") ?? Buffer.alloc(0);
    const token = writeToken(secret, { ...claims, role: "owners" as never });
    const reply = await callWithToken(server, token, ["GET", `${place.doc}/webhooks`]);
    expect([reply.status, reply.body.details.code]).toEqual([403, "access.token_denied"]);
  });
});

const signedWith = (secret: Uint8Array, token: string): string =>
  writeToken(secret, claimsOf(endUserOfToken(server.app.ctx, token)));

describe("scopes", () => {
  const READ = ["GET", "/tables/Table1/records"] as const;
  const WRITE = ["POST", "/tables/Table1/records", { records: [{ fields: {} }] }] as const;
  const SCHEMA = ["POST", "/tables", { tables: [{ id: "New", columns: [{ id: "A" }] }] }] as const;
  const HISTORY = ["GET", "/states"] as const;
  const ACTIONS = ["POST", "/apply", []] as const;
  const statuses = async (token: string) => {
    const found: number[] = [];
    for (const [method, path, body] of [READ, WRITE, SCHEMA, HISTORY, ACTIONS])
      found.push((await callWithToken(server, token, [method, place.doc + path, body])).status);
    return found;
  };

  test.each<[ofToken: string[] | undefined, ofKey: string[] | null, statuses: number[]]>([
    [undefined, null, [200, 200, 200, 200, 200]],
    [["records:read"], null, [200, 403, 403, 403, 403]],
    [["records:write"], null, [200, 200, 403, 403, 403]],
    [["schema:write"], null, [403, 403, 200, 403, 403]],
    [["history:read"], null, [403, 403, 403, 200, 403]],
    [undefined, ["tokens:create"], [403, 403, 403, 403, 403]],
    [undefined, ["tokens:create", "records:read"], [200, 403, 403, 403, 403]],
    [undefined, ["tokens:create", "records:write", "schema:write", "access:manage"], [200, 200, 200, 403, 403]],
    [["records:read"], ["tokens:create", "records:write"], [200, 403, 403, 403, 403]],
  ])("of the token %j and of the key %j → %j", async (ofToken, ofKey, expected) => {
    if (ofKey) limit({ scopes: ofKey });
    const token = await create(ofToken ? { scopes: ofToken } : {});
    expect(await statuses(token)).toEqual(expected);
  });

  test.each<[ofToken: string[], ofKey: string[], missing: string]>([
    [["records:write"], ["tokens:create", "records:read"], "records:write"],
    [["records:read", "history:read"], ["tokens:create", "records:write"], "history:read"],
    [["records:read"], ["records:read"], "tokens:create"],
  ])("%j are refused for a key with %j", async (scopes, ofKey, missingScope) => {
    limit({ scopes: ofKey });
    const body = { email: "eve@app.example", role: "editors", scopes };
    const reply = await callWithToken(server, key, ["POST", `${place.doc}/tokens`, body]);
    expect([reply.status, reply.body.details]).toEqual([403, { code: "scope.missing", missingScope }]);
  });

  test("a scope that the key loses is lost to its tokens", async () => {
    limit({ scopes: ["tokens:create", "records:write"] });
    const token = await create({ scopes: ["records:write"] });
    expect(await statuses(token)).toEqual([200, 200, 403, 403, 403]);
    limit({ scopes: ["tokens:create", "records:read"] });
    expect(await statuses(token)).toEqual([200, 403, 403, 403, 403]);
  });

  test.each([["webhooks:manage"], ["access:manage"], ["tokens:create"], ["admin"], ["scim"], ["documents:read"]])(
    "%s is no scope of tokens",
    async (scope) => {
      const body = { email: "eve@app.example", role: "editors", scopes: [scope] };
      const reply = await callWithToken(server, key, ["POST", `${place.doc}/tokens`, body]);
      expect([reply.status, reply.body.details.code]).toEqual([400, "payload.invalid"]);
    },
  );
});
