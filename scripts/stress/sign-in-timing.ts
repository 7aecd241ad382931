/**
 * Compares the medians of response times for addresses of users, of disabled users, and unknown ones, and for links of
 * invitations that cannot be accepted, on the built executable with email:
 * `bun scripts/stress/sign-in-timing.ts [--pairs N] [--only NAME]`. The exit status is 1 if they differ by more than 10 %. For an
 * idle machine: other load makes the times useless.
 */
import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SMTPServer } from "smtp-server";
import { randomHex } from "../../src/lib/ids.ts";
import { startServer } from "../running-server.ts";

const MAX_DIFFERENCE = 0.1;
const PASSWORD = "correct horse battery";
/** An account permits ten attempts without a delay. */
const ATTEMPTS_PER_ACCOUNT = 8;
/** Resets in an hour for an address. */
const RESETS_PER_ACCOUNT = 3;
/** At most 1,000 resets wait to be sent. */
const RESETS_PER_BLOCK = 250;
const LINKS_PER_KIND = 20;
/** Passkeys need a name. */
const HOST = "localhost";

interface Timed {
  readonly name: string;
  readonly kinds: readonly string[];
  /** The status of every response. */
  readonly status: number;
  /** Sends the `n`th request of a kind, as a caller who is not signed in. */
  send(kind: string, n: number, network: string): Promise<Response>;
  /** Called after each pair. */
  settle?(pairs: number): Promise<void>;
}

const { values } = parseArgs({ options: { pairs: { type: "string", default: "1000" }, only: { type: "string" } } });
const pairs = Number(values.pairs);
let sentResets = 0;
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, { envelope }, done) {
    stream.resume();
    stream.on("end", () => {
      // Invitations are sent as well.
      if (envelope.rcptTo.some(({ address }) => address.includes("-reset"))) sentResets++;
      done();
    });
  },
});
await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
const folder = await mkdtemp(join(tmpdir(), "quern-timing-"));
const server = await startServer({
  settings: {
    QUERN_DATA: join(folder, "data"),
    QUERN_TRUSTED_PROXIES: "127.0.0.0/8",
    QUERN_SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    QUERN_EMAIL_FROM: "quern@example.org",
    QUERN_PUBLIC_URL: `http://${HOST}`,
    QUERN_SCIM: "on",
  },
});
try {
  await run();
} finally {
  await server.stop();
  smtp.close();
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const key = await addAdministrator();
  for (const request of await timedRequests(key)) {
    if (values.only !== undefined && request.name !== values.only) continue;
    const medians = await measure(request);
    const difference = Math.max(...medians) / Math.min(...medians) - 1;
    const figures = request.kinds.map((kind, i) => `${kind} ${(medians[i] ?? 0).toFixed(2)} ms`).join(", ");
    console.log(`${request.name}: ${figures}; the medians differ by ${(difference * 100).toFixed(1)} %`);
    if (difference > MAX_DIFFERENCE) process.exitCode = 1;
  }
}

/** Every request of callers who are not signed in that is about an address, or has a link of an account. */
async function timedRequests(key: string): Promise<readonly Timed[]> {
  const kinds = ["known", "unknown", "disabled"];
  const signInAccounts = Math.ceil(pairs / ATTEMPTS_PER_ACCOUNT);
  const resetAccounts = Math.ceil(pairs / RESETS_PER_ACCOUNT);
  if (values.only === undefined || values.only === "sign-in") await addUsersWithPasswords(key, signInAccounts);
  if (values.only === undefined || values.only === "password reset") await provisionUsers(key, resetAccounts);
  const links = await invitationLinks(key);
  return [
    {
      name: "sign-in",
      kinds,
      status: 400,
      send: (kind, n, network) =>
        postForm("/sign-in", network, { email: `${kind}${n % signInAccounts}@example.com`, password: "wrong horse" }),
    },
    {
      name: "passkey start",
      kinds,
      status: 200,
      send: (kind, n, network) =>
        postJson("/sign-in/passkey/options", network, { use: "signIn", email: `${kind}${n}@example.com` }),
    },
    {
      name: "password reset",
      kinds,
      status: 200,
      send: (kind, n, network) =>
        postForm("/forgot-password", network, { email: `${kind}-reset${n % resetAccounts}@example.com` }),
      async settle(done) {
        // Beyond the limit of waiting messages, the rest would not be queued.
        if (done % RESETS_PER_BLOCK === 0) await until(() => sentResets >= done);
      },
    },
    {
      name: "invitation page",
      kinds: [...links.keys()],
      status: 403,
      send: (kind, n, network) =>
        fetch(`${server.address}/invitation?token=${links.get(kind)?.[n % LINKS_PER_KIND]}`, {
          headers: { "X-Forwarded-For": network, Accept: "text/html" },
        }),
    },
    {
      name: "invitation acceptance",
      kinds: [...links.keys()],
      status: 403,
      send: (kind, n, network) =>
        postForm("/invitation", network, {
          token: links.get(kind)?.[n % LINKS_PER_KIND] ?? "",
          name: "Ann",
          password: PASSWORD,
        }),
    },
  ];
}

/** Measures the kinds in turns and in changing order, so that the load of the machine affects them alike. */
async function measure({ name, kinds, status, send, settle }: Timed): Promise<number[]> {
  const times = kinds.map((): number[] => []);
  const bodies = new Set<string>();
  for (let i = 0; i < pairs; i++) {
    for (let turn = 0; turn < kinds.length; turn++) {
      const k = (i + (i % 2 === 0 ? turn : kinds.length - turn)) % kinds.length;
      // A network of its own for each request: attempts are limited by network.
      const network = `2001:db8:${k}:${i.toString(16)}::1`;
      const start = performance.now();
      const response = await send(kinds[k] ?? "", i, network);
      const body = await response.text();
      times[k]?.push(performance.now() - start);
      if (response.status !== status) throw new Error(`${name} (${kinds[k]}): status ${response.status}: ${body}`);
      if (status === 403) bodies.add(body);
    }
    await settle?.(i + 1);
  }
  if (bodies.size > 1) throw new Error(`${name}: the responses differ`);
  return times.map(median);
}

/** Returns a key of an administrator. */
async function addAdministrator(): Promise<string> {
  await server.command("user", "add", "--email", "admin@example.com", "--name", "Admin", "--admin");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", "admin@example.com");
  return key;
}

async function addUsersWithPasswords(key: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    for (const kind of ["known", "disabled"]) {
      const { userId, token } = await invite(key, `${kind}${i}@example.com`);
      await accept(token);
      if (kind === "disabled") await callApi(key, `/api/users/${userId}/disable`, {});
    }
  }
}

/** Adds users for resets, which need no password yet. */
async function provisionUsers(key: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    for (const kind of ["known", "disabled"]) {
      await callApi(key, "/api/scim/v2/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: `${kind}-reset${i}@example.com`,
        active: kind === "known",
      });
    }
  }
}

/** Returns links of invitations that cannot be accepted, by the reason. */
async function invitationLinks(key: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const numbers = Array.from({ length: LINKS_PER_KIND }, (_, i) => i);
  const used: string[] = [];
  const expired: string[] = [];
  const disabled: string[] = [];
  for (const i of numbers) {
    const first = await invite(key, `used${i}@example.com`);
    await accept(first.token);
    used.push(first.token);
    const second = await invite(key, `invited-disabled${i}@example.com`);
    await callApi(key, `/api/users/${second.userId}/disable`, {});
    disabled.push(second.token);
    expired.push((await invite(key, `expired${i}@example.com`)).token);
  }
  const home = new Database(join(folder, "data/home.sqlite"));
  home.run("pragma busy_timeout = 5000");
  home.run("update tokens set expires_at = 1 where purpose = 'invitation'");
  home.close();
  return new Map([
    ["unknown", numbers.map(() => randomHex(32))],
    ["malformed", numbers.map(() => "x")],
    ["used", used],
    ["expired", expired],
    ["disabled", disabled],
  ]);
}

async function invite(key: string, email: string): Promise<{ userId: number; token: string }> {
  const { userId, link } = await callApi<{ userId: number; link: string }>(key, "/api/invitations", { email });
  return { userId, token: new URL(link).searchParams.get("token") ?? "" };
}

/** Makes the account of an invitation. */
async function accept(token: string): Promise<void> {
  const { status } = await postForm("/invitation", "2001:db8:fe::1", { token, name: "Ann", password: PASSWORD });
  if (status !== 303) throw new Error(`the invitation could not be accepted: ${status}`);
}

async function callApi<T>(key: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${server.address}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

function postForm(path: string, network: string, fields: Record<string, string>): Promise<Response> {
  return post(path, network, { Accept: "text/html" }, new URLSearchParams(fields));
}

function postJson(path: string, network: string, body: unknown): Promise<Response> {
  return post(path, network, { "Content-Type": "application/json" }, JSON.stringify(body));
}

function post(
  path: string,
  network: string,
  headers: Record<string, string>,
  body: URLSearchParams | string,
): Promise<Response> {
  return fetch(`${server.address}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, Host: HOST, Origin: `http://${HOST}`, "X-Forwarded-For": network },
    body,
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("The messages were not sent in a minute");
    await Bun.sleep(50);
  }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
