import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, type App } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { RequestClasses } from "../../src/http/cluster/request-classes.ts";
import type { LoggedContents } from "../../src/files/attachment-stores.ts";
import type { Clock } from "../../src/lib/time/clock.ts";
import type { Log } from "../../src/lib/observability/log.ts";
import type { Timers } from "../../src/lib/time/timers.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../src/services/access/guards.ts";
import { createKey } from "../../src/services/accounts/keys.ts";
import { addUser } from "../../src/services/accounts/users.ts";

import { withClassChecks } from "./class-checks.ts";

/** The users of every test: `owner` owns the team site, the others have no access until it is granted. */
export const USERS = {
  owner: { email: "olga@example.com", name: "Olga Owner" },
  editor: { email: "Emil@example.com", name: "Emil Editor" },
  viewer: { email: "vito@example.com", name: "Vito Viewer" },
  stranger: { email: "stan@example.com", name: "Stan Stranger" },
} as const;

/** A password hash that takes well under a millisecond: tests need no protection. */
export const CHEAP_PASSWORD_HASH = { memoryCost: 8, timeCost: 1 } as const;

/**
 * Documents run in the test's own thread: starting worker threads from sources takes longer than most tests. The
 * complete checks set `QUERN_TEST_DOC_THREADS`, to use messages between threads as the server does.
 */
export const DOC_THREADS = process.env["QUERN_TEST_DOC_THREADS"] ?? "0";

/** Settings of all tests: on a loaded machine, a query may take longer than the default allows. */
export const TEST_FLAGS = { "doc-threads": DOC_THREADS, "sql-timeout-ms": "30000" } as const;

export type UserName = keyof typeof USERS;
export type Caller = UserName | "anon" | "badkey";

export interface Reply {
  readonly status: number;
  /** Parsed JSON, or the text if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access responses freely
  readonly body: any;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly headers?: Record<string, string>;
  /** Sent unchanged, instead of a JSON body. */
  readonly raw?: string | FormData | Uint8Array<ArrayBuffer>;
}

export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly folder: string;
  readonly keys: Record<UserName, string>;
  /** Sends a request. Paths without `/o/` refer to the team site `team`. */
  call(as: Caller, method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  /** Like `call` for the owner; throws unless the status is 200. */
  must<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface TestAppOptions {
  /** Settings by flag, such as `max-body`. */
  readonly flags?: Record<string, string>;
  /** Settings by variable, for those without a flag. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly log?: Log;
  readonly loggedContents?: LoggedContents;
  /** Which requests may write home. */
  readonly requestClasses?: RequestClasses;
}

/** Starts a server on a fresh data folder, with four users, their keys, and a team site `team`. */
export async function testApp({
  flags = {},
  variables = {},
  requestClasses,
  ...options
}: TestAppOptions = {}): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), "quern-test-"));
  const config = readConfig({ data: folder, ...TEST_FLAGS, ...flags }, variables);
  const created = createApp(config, {
    passwordCost: CHEAP_PASSWORD_HASH,
    ...options,
  });
  const app = withClassChecks(created, config, requestClasses);
  const keys = {} as Record<UserName, string>;
  for (const [name, person] of Object.entries(USERS) as [UserName, (typeof USERS)[UserName]][]) {
    await addUser(app.ctx, person);
    keys[name] = createKey(app.ctx, guardSignedIn(actorForCommand(app.ctx, person.email)), {});
  }
  const call: TestApp["call"] = async (as, method, path, body, { headers = {}, raw } = {}) => {
    const key = as === "badkey" ? "0".repeat(40) : as === "anon" ? null : keys[as];
    const isWrite = method !== "GET" && method !== "HEAD";
    const url = `http://quern.test${path.startsWith("/o/") || !path.startsWith("/api/") ? "" : "/o/team"}${path}`;
    const request = new Request(url, {
      method,
      headers: {
        Host: "quern.test",
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(isWrite && !(raw instanceof FormData) && { "Content-Type": "application/json" }),
        ...(raw instanceof FormData && { "X-Requested-With": "XMLHttpRequest" }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await app.handle(request);
    const text = await response.text();
    return { status: response.status, body: parsed(text), headers: response.headers };
  };
  const must = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await call("owner", method, path, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  };
  await must("POST", "/o/docs/api/orgs", { name: "Team", domain: "team" });
  return {
    app,
    folder,
    keys,
    call,
    must,
    async [Symbol.asyncDispose]() {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface Sample {
  readonly workspaceId: number;
  /** UUID of the document. */
  readonly doc: string;
}

/** Creates a workspace of the team site with a document `Sample`, which only the owner can access. */
export async function sampleDocument({ must }: TestApp): Promise<Sample> {
  const workspaceId = await must<number>("POST", "/api/orgs/team/workspaces", { name: "Work" });
  const doc = await must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name: "Sample" });
  return { workspaceId, doc };
}
