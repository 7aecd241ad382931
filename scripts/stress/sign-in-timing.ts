/**
 * Compares the medians of response times for addresses of users, of disabled users, and unknown ones, on the built executable:
 * `bun scripts/stress/sign-in-timing.ts [--pairs N]`. The exit status is 1 if they differ by more than 10 %. For an idle
 * machine: other load makes the times useless.
 */
import { parseArgs } from "node:util";
import { startServer } from "../running-server.ts";

const MAX_DIFFERENCE = 0.1;
/** An account permits ten attempts without a delay. */
const ATTEMPTS_PER_ACCOUNT = 8;
const PASSWORD = "correct horse battery";

type Kind = "known" | "unknown" | "disabled";
const KINDS: readonly Kind[] = ["known", "unknown", "disabled"];

interface TimedRequest {
  readonly name: string;
  /** Sends a request about an address, as a caller who is not signed in. */
  send(email: string, network: string): Promise<Response>;
}

/** Every request of callers who are not signed in that is about an address. */
const TIMED_REQUESTS: readonly TimedRequest[] = [
  {
    name: "sign-in",
    send: (email, network) => post("/sign-in", network, new URLSearchParams({ email, password: "wrong horse" })),
  },
  {
    name: "passkey start",
    send: (email, network) => post("/sign-in/passkey/options", network, JSON.stringify({ use: "signIn", email })),
  },
];

const { values } = parseArgs({ options: { pairs: { type: "string", default: "1000" } } });
const pairs = Number(values.pairs);
await using server = await startServer({ settings: { QUERN_TRUSTED_PROXIES: "127.0.0.0/8" } });
const accounts = Math.ceil(pairs / ATTEMPTS_PER_ACCOUNT);
await addUsers(accounts);
for (const request of TIMED_REQUESTS) {
  const medians = await measure(request);
  const difference = Math.max(...medians) / Math.min(...medians) - 1;
  const figures = KINDS.map((kind, i) => `${kind} ${(medians[i] ?? 0).toFixed(2)} ms`).join(", ");
  console.log(`${request.name}: ${figures}; the medians differ by ${(difference * 100).toFixed(1)} %`);
  if (difference > MAX_DIFFERENCE) process.exitCode = 1;
}

/** Measures the kinds in turns, so that the load of the machine affects them alike. */
async function measure({ name, send }: TimedRequest): Promise<number[]> {
  const times = KINDS.map((): number[] => []);
  for (let i = 0; i < pairs; i++) {
    for (const [k, kind] of KINDS.entries()) {
      // A network of its own for each request: attempts are limited by network.
      const network = `2001:db8:${k}:${i.toString(16)}::1`;
      const start = performance.now();
      const response = await send(`${kind}${i % accounts}@example.com`, network);
      await response.arrayBuffer();
      times[k]?.push(performance.now() - start);
      if (response.status === 429) throw new Error(`${name}: the limit of attempts was reached`);
    }
  }
  return times.map(median);
}

async function addUsers(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    for (const kind of ["known", "disabled"]) {
      const email = `${kind}${i}@example.com`;
      await server.command("user", "add", "--email", email, "--name", kind);
      const { link } = await server.command<{ link: string }>("user", "reset", "--email", email);
      const token = new URL(link).searchParams.get("token") ?? "";
      const form = new URLSearchParams({ token, password: PASSWORD, name: "" });
      const { status } = await post("/reset-password", `2001:db8:ff:${i.toString(16)}::1`, form);
      if (status !== 303) throw new Error(`the password of ${email} could not be set: ${status}`);
      if (kind === "disabled") await server.command("user", "disable", "--email", email);
    }
  }
}

function post(path: string, network: string, body: URLSearchParams | string): Promise<Response> {
  return fetch(`${server.address}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      Origin: server.address,
      "X-Forwarded-For": network,
      ...(typeof body === "string" && { "Content-Type": "application/json" }),
    },
    body,
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
