import { expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { isReplay } from "../helpers/idempotency.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

interface Site {
  readonly server: ServerProcess;
  readonly workspace: number;
  readonly doc: string;
  request(
    method: string,
    path: string,
    init?: { readonly body?: string; readonly headers?: object },
  ): Promise<Response>;
  get<T>(path: string): Promise<T>;
}

interface Case {
  readonly path: (site: Site) => string;
  readonly body: string;
  readonly type?: string;
  /** Counts what the request adds. */
  readonly count: (site: Site) => Promise<number>;
}

const countRecords = async ({ doc, get }: Site): Promise<number> =>
  (await get<{ records: unknown[] }>(`/api/docs/${doc}/tables/Table1/records`)).records.length;

const CASES: Readonly<Record<string, Case>> = {
  "rows of a document": {
    path: ({ doc }) => `/api/docs/${doc}/tables/Table1/records`,
    body: JSON.stringify({ records: [{ fields: { A: 1 } }] }),
    count: countRecords,
  },
  "lines of a job": {
    path: ({ doc }) => `/api/docs/${doc}/tables/Table1/records?onError=skip`,
    body: `{"A":1}\n`,
    type: "application/x-ndjson",
    count: countRecords,
  },
  "a workspace": {
    path: () => "/api/orgs/current/workspaces",
    body: JSON.stringify({ name: "New" }),
    count: async ({ get }) => (await get<{ name: string }[]>("/api/orgs/current/workspaces")).length - 2,
  },
  "a document": {
    path: ({ workspace }) => `/api/workspaces/${workspace}/docs`,
    body: JSON.stringify({ name: "New" }),
    count: async ({ workspace, get }) =>
      (await get<{ docs: unknown[] }>(`/api/workspaces/${workspace}`)).docs.length - 1,
  },
};

test.each(Object.entries(CASES))(
  "after a crash of the server, a repeated request adds nothing: %s",
  async (_, { path, body, type = "application/json", count }) => {
    const folder = tempFolder();
    const { Authorization } = await addUserWithKey({ folder });
    const start = async (known?: Pick<Site, "workspace" | "doc">): Promise<Site> => {
      const server = await startServerProcess({ folder });
      const request: Site["request"] = (method, target, { body: sent, headers = {} } = {}) =>
        fetch(`${server.address}${target}`, {
          method,
          headers: { Authorization, "Content-Type": "application/json", ...headers },
          ...(sent !== undefined && { body: sent }),
        });
      const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;
      const post = async <T>(target: string, value: object): Promise<T> =>
        json<T>(await request("POST", target, { body: JSON.stringify(value) }));
      const workspace = known?.workspace ?? (await post<number>("/api/orgs/current/workspaces", { name: "W" }));
      const doc = known?.doc ?? (await post<string>(`/api/workspaces/${workspace}/docs`, { name: "D" }));
      return { server, workspace, doc, request, get: async (target) => json(await request("GET", target)) };
    };
    const first = await start();
    await using _first = first.server;
    const sent = { body, headers: { "Idempotency-Key": "key", "Content-Type": type } };
    // The client may never get this answer: the server is killed as soon as the change is visible.
    const answer = first.request("POST", path(first), sent).catch(() => null);
    await expectPoll(() => count(first)).toBe(1);
    first.server.process.kill("SIGKILL");
    await Promise.all([answer, first.server.process.exited]);
    const second = await start(first);
    await using _second = second.server;
    const replies = await Promise.all([1, 2].map(() => second.request("POST", path(second), sent)));
    expect(replies.map(isReplay)).toEqual([true, true]);
    expect(await replies[0]?.text()).toBe((await replies[1]?.text()) ?? "");
    await expectPoll(() => count(second)).toBe(1);
    const other = await second.request("POST", path(second), { ...sent, body: `${body} ` });
    expect(other.status).toBe(422);
    expect(await count(second)).toBe(1);
  },
  60_000,
);
