/** HTTPS from certificate files, with real server processes and connections. */
import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { createAuthority, HAS_OPENSSL, replaceFiles, type Authority, type TlsPaths } from "../helpers/certificates.ts";
import { EventReader } from "../helpers/event-reader.ts";
import { runQuern } from "../helpers/run-quern.ts";
import {
  addUserWithKey,
  eventually,
  freePort,
  startServerProcess,
  type ServerProcess,
} from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

interface TlsServer extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly authority: Authority;
  /** The files that the server reads; at first the certificate `first`. */
  readonly files: TlsPaths;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

async function startTlsServer(extra: Readonly<Record<string, string>> = {}, days?: number): Promise<TlsServer> {
  const folder = tempFolder();
  const certificates = tempFolder();
  const authority = createAuthority(certificates);
  const files = { cert: join(certificates, "live.crt"), key: join(certificates, "live.key") };
  replaceFiles(files, authority.issue("first", days));
  const settings = { QUERN_TLS_CERT: files.cert, QUERN_TLS_KEY: files.key, QUERN_METRICS: "loopback", ...extra };
  const server = await startServerProcess({ folder, settings });
  return {
    server,
    authority,
    files,
    folder,
    settings,
    fetch: (path, init) =>
      fetch(`${server.address}${path}`, { tls: { ca: authority.root }, redirect: "manual", ...init }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Opens a connection and accepts any certificate. */
const open = (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options }, () => resolve(socket));
    socket.on("error", reject);
  });

/** Returns the name in the certificate that new connections get. */
async function presentedName(port: number): Promise<string> {
  const socket = await open(port);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Sends a request on an open connection and returns the head of the response. */
const requestOn = (socket: TLSSocket, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once("data", (bytes) => resolve(String(bytes).split("\r\n\r\n")[0] ?? ""));
    const fail = () => reject(new Error("the connection was closed"));
    socket.once("close", fail);
    if (socket.destroyed) fail();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });

/** Counts the sockets of this machine that listen on a port. */
const listeningSockets = (port: number): number =>
  readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .filter((line) => line.includes(`:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`)).length;

const events = (log: string, name: string): Record<string, unknown>[] =>
  log
    .split("\n")
    .filter((line) => line.includes(`"event":"${name}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function metric({ fetch: request }: TlsServer, name: string): Promise<number> {
  const line = (await (await request("/metrics")).text()).split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ")[1]);
}

describe.skipIf(!HAS_OPENSSL)(HAS_OPENSSL ? "TLS" : "TLS (skipped: openssl is not installed)", () => {
  test("serves HTTPS with the chain, secure cookies, https links and same-origin checks", async () => {
    await using tls = await startTlsServer();
    const { server, folder, settings } = tls;
    expect((await tls.fetch("/status")).status).toBe(200);
    const link = new URL(readFileSync(join(folder, "first-run-link"), "utf8").trim());
    expect(link.origin).toBe(server.address);
    const account = { email: "bob@example.com", password: "correct horse battery" };
    const form = (path: string, fields: Record<string, string>, origin = server.address) =>
      tls.fetch(path, { method: "POST", headers: { Origin: origin }, body: new URLSearchParams(fields) });
    const token = link.searchParams.get("token") ?? "";
    expect((await form("/first-run", { ...account, name: "Bob", token })).status).toBe(303);
    const signedIn = await form("/sign-in", account);
    expect([signedIn.status, signedIn.headers.get("set-cookie")]).toEqual([303, expect.stringContaining("; Secure")]);
    const plainOrigin = server.address.replace("https:", "http:");
    expect((await form("/sign-in", account, plainOrigin)).status).toBe(403);
    const key = await addUserWithKey({ folder });
    const headers = { ...key, "Content-Type": "application/json" };
    const post = (path: string, body: unknown) =>
      tls.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const workspace = await (await post("/api/orgs/current/workspaces", { name: "W" })).text();
    const doc = (await (await post(`/api/workspaces/${workspace}/docs`, { name: "D" })).json()) as string;
    const columns = [{ id: "Link", fields: { isFormula: true, formula: "SELF_HYPERLINK()" } }];
    await post(`/api/docs/${doc}/tables`, { tables: [{ id: "Links", columns }] });
    await post(`/api/docs/${doc}/tables/Links/records`, { records: [{ fields: {} }] });
    expect(await (await tls.fetch(`/api/docs/${doc}/tables/Links/records`, { headers })).text()).toContain(
      `${server.address}/docs/`,
    );
    const beside = { QUERN_DATA: folder, QUERN_PORT: String(server.port), ...settings };
    expect(await runQuern(["status"], beside)).toMatchObject({ status: 0, out: ["ok"] });
    expect((await runQuern(["status", "--url", server.address], beside)).status).toBe(1);
  });

  test("plain HTTP gets no answer, and versions before TLS 1.2 are refused", async () => {
    await using tls = await startTlsServer();
    const { port } = tls.server;
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connectTcp(port, "127.0.0.1", () => void socket.write("GET /status HTTP/1.1\r\nHost: a\r\n\r\n"));
      socket.on("data", (bytes) => (text += String(bytes)));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text));
    });
    expect(answer).not.toContain("HTTP/1.1");
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await open(port, { minVersion: version, maxVersion: version });
      expect(socket.getProtocol()).toBe(version);
      socket.destroy();
    }
    const old = open(port, { minVersion: "TLSv1", maxVersion: "TLSv1.1" });
    expect(await old.catch((error: Error) => error.message)).toMatch(/version|alert|protocol/i);
  });

  test("new files are presented to new connections, while downloads, event streams and idle connections continue", async () => {
    await using tls = await startTlsServer();
    const { server, authority, files, folder } = tls;
    const key = await addUserWithKey({ folder });
    const headers = { ...key, "Content-Type": "application/json" };
    const post = (path: string, body: unknown) =>
      tls.fetch(`/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const workspace = await (await post("/orgs/current/workspaces", { name: "W" })).text();
    const doc = (await (await post(`/workspaces/${workspace}/docs`, { name: "D" })).json()) as string;
    const records = Array.from({ length: 16 }, () => ({ fields: { A: "x".repeat(900_000) } }));
    expect((await post(`/docs/${doc}/tables/Table1/records`, { records })).status).toBe(200);
    const download = await tls.fetch(`/api/docs/${doc}/tables/Table1/records`, { headers });
    const stream = await tls.fetch(`/api/docs/${doc}/events`, { headers });
    const followed = new EventReader(stream);
    expect((await followed.next())?.event).toBe("ready");
    const idle = await open(server.port);
    expect(await requestOn(idle, "/status")).not.toContain("Connection: close");

    replaceFiles(files, authority.issue("second"));
    expect(await eventually(async () => (await presentedName(server.port)) === "second")).toBe(true);
    for (let i = 0; i < 20; i++) expect(await presentedName(server.port)).toBe("second");
    expect((await tls.fetch("/status")).status).toBe(200);
    expect(await requestOn(idle, "/status")).toContain("Connection: close");
    expect(((await download.json()) as { records: unknown[] }).records).toHaveLength(records.length);
    expect((await post(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "y" } }] })).status).toBe(200);
    expect((await followed.next())?.event).toBe("change");
    expect(await metric(tls, 'quern_tls_reloads_total{outcome="succeeded"}')).toBe(1);
    expect(await server.stop()).toBe(0);
    expect(events(await server.stderr, "tls.certificate_loaded")).toHaveLength(2);
  });

  test("no connection fails while certificates are replaced", async () => {
    await using tls = await startTlsServer();
    const { server, authority, files } = tls;
    const certificates = ["even", "odd"].map((name) => authority.issue(name));
    const state = { isOver: false, answered: 0 };
    const clients = Array.from({ length: 6 }, async () => {
      while (!state.isOver) {
        const socket = await open(server.port);
        expect(await requestOn(socket, "/status")).toStartWith("HTTP/1.1 200 ");
        socket.destroy();
        state.answered++;
      }
    });
    for (let i = 0; i < 10; i++) {
      const current = certificates[i % 2];
      if (current) replaceFiles(files, current);
      server.process.kill("SIGHUP");
      expect(await eventually(async () => (await presentedName(server.port)) === ["even", "odd"][i % 2])).toBe(true);
    }
    state.isOver = true;
    await Promise.all(clients);
    expect(state.answered).toBeGreaterThan(50);
  });

  test("sockets of former certificates close when their connections have timed out", async () => {
    await using tls = await startTlsServer({ QUERN_CLIENT_TIMEOUT_S: "1" });
    const { server, authority, files } = tls;
    const idle = await open(server.port);
    expect(await requestOn(idle, "/status")).toStartWith("HTTP/1.1 200 ");
    for (const name of ["second", "third", "fourth"]) {
      replaceFiles(files, authority.issue(name));
      server.process.kill("SIGHUP");
      expect(await eventually(async () => (await presentedName(server.port)) === name)).toBe(true);
    }
    expect(listeningSockets(server.port)).toBe(4);
    // The idle timeout of 24 s, and 13 s for connections that have not sent a request yet.
    const isDrained = () => listeningSockets(server.port) === 1;
    expect((await eventually(isDrained)) || (await eventually(isDrained))).toBe(true);
    expect(idle.destroyed).toBe(true);
    for (let i = 0; i < 10; i++) expect(await presentedName(server.port)).toBe("fourth");
    expect(await server.stop()).toBe(0);
  });

  test("files that cannot be used are reported once, and the former certificate stays", async () => {
    await using tls = await startTlsServer();
    const { server, authority, files } = tls;
    const failures = () => metric(tls, 'quern_tls_reloads_total{outcome="failed"}');
    const expiry = await metric(tls, "quern_tls_certificate_expiry_timestamp_seconds");
    expect(expiry / 86_400 - Date.now() / 86_400_000).toBeWithin(89, 91);
    // The certificate without its key, as between the two writes of a program that renews both.
    const next = authority.issue("next");
    replaceFiles(files, { cert: next.cert, key: files.key });
    expect(await eventually(async () => (await failures()) === 1)).toBe(true);
    expect(await presentedName(server.port)).toBe("first");
    rmSync(files.key);
    server.process.kill("SIGHUP");
    expect(await eventually(async () => (await failures()) === 2)).toBe(true);
    expect(await presentedName(server.port)).toBe("first");
    expect(await metric(tls, "quern_tls_certificate_expiry_timestamp_seconds")).toBe(expiry);
    writeFileSync(files.key, readFileSync(next.key), { mode: 0o600 });
    expect(await eventually(async () => (await presentedName(server.port)) === "next")).toBe(true);
    expect(await server.stop()).toBe(0);
    expect(events(await server.stderr, "tls.reload_failed").map(({ level, error }) => [level, error])).toEqual([
      ["error", `the private key in ${files.key} does not belong to the first certificate in ${files.cert}`],
      ["error", `${files.key} does not exist`],
    ]);
  });

  test("warns of certificates that have expired or soon will, and of a key that every user may read", async () => {
    const logOf = async (days: number, mode: number) => {
      await using tls = await startTlsServer({}, days);
      chmodSync(tls.files.key, mode);
      replaceFilesKeepingMode(tls);
      tls.server.process.kill("SIGHUP");
      expect(await eventually(async () => (await presentedName(tls.server.port)) === "again")).toBe(true);
      expect(await tls.server.stop()).toBe(0);
      return await tls.server.stderr;
    };
    const replaceFilesKeepingMode = ({ authority, files }: TlsServer) => {
      const again = authority.issue("again");
      writeFileSync(files.key, readFileSync(again.key));
      writeFileSync(files.cert, readFileSync(again.cert));
    };
    const expired = await logOf(-1, 0o644);
    expect(events(expired, "tls.certificate_expired")).toHaveLength(1);
    expect(events(expired, "tls.key_readable_by_others")).toHaveLength(1);
    const soon = await logOf(7, 0o640);
    expect(events(soon, "tls.certificate_expires_soon")).toMatchObject([{ level: "warn", days: 6 }]);
    expect(soon).not.toContain("tls.certificate_expired");
    expect(soon).not.toContain("tls.key_readable_by_others");
  });

  test("files that cannot be used prevent the start, with one line that names the file", async () => {
    const folder = tempFolder();
    const authority = createAuthority(folder);
    const { cert, key } = authority.issue("a");
    const other = authority.issue("b");
    const missing = join(folder, "missing.pem");
    const text = join(folder, "text.pem");
    writeFileSync(text, "not PEM");
    const damaged = join(folder, "damaged.pem");
    writeFileSync(damaged, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    const encrypted = join(folder, "encrypted.pem");
    Bun.spawnSync(["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:secret", "-out", encrypted]);
    const chainFirst = join(folder, "chain-first.pem");
    appendFileSync(chainFirst, readFileSync(join(folder, "intermediate.crt"), "utf8") + readFileSync(cert, "utf8"));
    const mismatch = (keyFile: string, certFile: string) =>
      `TLS: the private key in ${keyFile} does not belong to the first certificate in ${certFile}`;
    const cases: [TlsPaths, string][] = [
      [{ cert: missing, key }, `TLS: ${missing} does not exist`],
      [{ cert: folder, key }, `TLS: ${folder} is a folder`],
      [{ cert: text, key }, `TLS: ${text} contains no certificate in PEM format`],
      [{ cert: damaged, key }, `TLS: ${damaged} contains a damaged certificate`],
      [{ cert, key: text }, `TLS: ${text} contains no private key in PEM format`],
      [{ cert, key: encrypted }, `TLS: the private key in ${encrypted} has a passphrase: store it without one`],
      [{ cert, key: other.key }, mismatch(other.key, cert)],
      [{ cert: chainFirst, key }, mismatch(key, chainFirst)],
    ];
    const data = join(folder, "data");
    const serve = (env: Record<string, string>) =>
      runQuern(["serve", "--data", data, "--port", String(freePort())], env);
    for (const [paths, message] of cases) {
      const outcome = await serve({ QUERN_TLS_CERT: paths.cert, QUERN_TLS_KEY: paths.key });
      expect(outcome).toEqual({ status: 1, out: [], err: [`quern serve: ${message}`] });
    }
    expect((await serve({ QUERN_TLS_CERT: cert })).err).toEqual([
      "quern serve: QUERN_TLS_CERT and QUERN_TLS_KEY are required together: set QUERN_TLS_KEY",
    ]);
  });

  test("a second server on the same port is refused", async () => {
    await using tls = await startTlsServer();
    const outcome = await runQuern(["serve", "--data", tempFolder(), "--port", String(tls.server.port)], tls.settings);
    expect(outcome.status).toBe(1);
    expect(outcome.err.at(-1)).toContain(`port ${tls.server.port} on 127.0.0.1 is in use by another program`);
  });
});
