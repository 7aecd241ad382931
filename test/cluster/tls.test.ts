/** Nodes of a cluster that call each other over TLS, with certificates of an authority of their own. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createAuthority, HAS_OPENSSL } from "../helpers/certificates.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { EventReader } from "../helpers/event-reader.ts";

const IS_POSSIBLE = HAS_POSTGRES && HAS_OPENSSL;
const NEEDED = HAS_OPENSSL ? POSTGRES_NEEDED : " (skipped: openssl is not installed)";

describe.skipIf(!IS_POSSIBLE)(`TLS between nodes${NEEDED}`, () => {
  test("requests of all kinds reach the owner, and a node that does not trust the certificate gets no answer", async () => {
    const certificates = tempFolder();
    const authority = createAuthority(certificates);
    const { cert, key } = authority.issue("node");
    const url = await createDatabase();
    const folder = tempFolder();
    const headers = { ...(await addUserWithKey({ folder })), "Content-Type": "application/json" };
    const settings = { QUERN_CLUSTER: url, QUERN_TLS_CERT: cert, QUERN_TLS_KEY: key };
    const trusting = { ...settings, NODE_EXTRA_CA_CERTS: join(certificates, "root.crt") };
    const tls = { ca: authority.root };
    const send = (server: ServerProcess, path: string, method = "GET", body?: unknown) =>
      fetch(`${server.address}${path}`, {
        method,
        headers,
        tls,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    await using owner = await startServerProcess({ folder, settings: trusting });
    await using other = await startServerProcess({ folder: tempFolder(), settings: trusting });
    await using distrusting = await startServerProcess({ folder: tempFolder(), settings });
    expect(owner.address).toStartWith("https://");
    const created = await send(owner, "/api/workspaces/1/docs", "POST", { name: "Orders" });
    const doc = (await created.json()) as string;
    const table = `/api/docs/${doc}/tables/Table1`;
    const record = { records: [{ fields: { A: "one" } }] };
    expect((await send(other, `${table}/records`, "POST", record)).status).toBe(200);
    expect((await send(other, `${table}/records`)).status).toBe(200);
    // These are sent by another client of the runtime.
    const upsert = { records: [{ require: { A: "two" }, fields: { B: "2" } }] };
    expect((await send(other, `${table}/records`, "PUT", upsert)).status).toBe(200);
    expect((await send(other, `/api/docs/${doc}`, "PATCH", { name: "Renamed" })).status).toBe(200);
    const stream = await send(other, `/api/docs/${doc}/events`);
    expect(stream.status).toBe(200);
    const events = new EventReader(stream);
    await send(owner, `${table}/records`, "POST", record);
    expect(await events.next()).toBeDefined();
    const refused = await send(distrusting, `${table}/records`, "POST", record);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
    await distrusting.stop();
    expect(await distrusting.stderr).toContain("cluster.request_not_forwarded");
    const { records } = (await (await send(other, `${table}/records`)).json()) as { records: unknown[] };
    expect(records).toHaveLength(3);
  }, 90_000);
});

test.each([
  ["https://10.0.0.1:8080", {}, "is an https address, and the server has no certificate"],
  [
    "http://10.0.0.1:8080",
    { QUERN_TLS_CERT: "/no.crt", QUERN_TLS_KEY: "/no.key" },
    "is an http address, and the server accepts HTTPS only",
  ],
])("the address %s with the settings %p is refused in one line", async (address, settings, message) => {
  const env = { QUERN_CLUSTER: "postgres://127.0.0.1:1/quern", QUERN_CLUSTER_ADDRESS: address, ...settings };
  const { status, err } = await runQuern(["serve", "--data", tempFolder(), "--port", "0"], env);
  expect(status).not.toBe(0);
  expect(err).toHaveLength(1);
  expect(err[0]).toContain(message);
});
