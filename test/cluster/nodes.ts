/** Nodes of a cluster as server processes, each with a folder and a port of its own, on one PostgreSQL database. */
import { createDatabase } from "../helpers/postgres.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

/** How to reach one node. */
export interface TestNode {
  /** The data folder. */
  readonly folder: string;
  /** Of the last start. */
  readonly address: string;
  readonly server: ServerProcess;
  /** Sends a request as the user of the cluster, unless `init` has other headers. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** As `fetch`, to the API with a JSON body: POST with a body, else GET. @throws Error unless the status is 2xx */
  call<T>(path: string, body?: unknown, method?: string): Promise<T>;
  /** Ends the process at once (SIGKILL). */
  kill(): Promise<void>;
  /** Stops the process from running until `resume` (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Ends the process as an operator does (SIGTERM), and returns its exit status. */
  stop(): Promise<number>;
  /** Starts it again with the same folder, on a new port. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
}

export interface TestCluster extends AsyncDisposable {
  readonly nodes: readonly TestNode[];
  /** URL of the database. */
  readonly url: string;
  /** The headers of the cluster's user, an administrator. */
  readonly headers: { readonly Authorization: string };
  /** Adds a node with an empty folder, or the given one. */
  addNode(options?: NodeStart): Promise<TestNode>;
}

export interface NodeStart {
  readonly folder?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Starts nodes; the first one publishes the home database, with one user. */
export async function startNodes(
  count: number,
  { settings = {}, url }: { settings?: Readonly<Record<string, string>>; url?: string } = {},
): Promise<TestCluster> {
  const log = url ?? (await createDatabase());
  const first = tempFolder();
  const headers = await addUserWithKey({ folder: first });
  const nodes: TestNode[] = [];
  const addNode = async (start: NodeStart = {}) => {
    const node = await startNode(log, headers, { ...start, settings: { ...settings, ...start.settings } });
    nodes.push(node);
    return node;
  };
  const cluster: TestCluster = {
    nodes,
    url: log,
    headers,
    addNode,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.kill()));
    },
  };
  try {
    for (let i = 0; i < count; i++) await addNode(i === 0 ? { folder: first } : {});
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

async function startNode(
  url: string,
  headers: { readonly Authorization: string },
  { folder = tempFolder(), settings = {}, args = [] }: NodeStart,
): Promise<TestNode> {
  const launch = (added: Readonly<Record<string, string>> = {}) =>
    startServerProcess({ folder, args, settings: { QUERN_CLUSTER: url, ...settings, ...added } });
  let server = await launch();
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${server.address}${path}`, { redirect: "manual", ...init, headers: init.headers ?? headers });
  return {
    folder,
    get address() {
      return server.address;
    },
    get server() {
      return server;
    },
    fetch: request,
    async call<T>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST"): Promise<T> {
      const response = await request(`/api${path}`, {
        method,
        headers: { ...headers, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
      return JSON.parse(text) as T;
    },
    async kill() {
      server.process.kill("SIGCONT");
      server.process.kill("SIGKILL");
      await server.process.exited;
    },
    pause: () => server.process.kill("SIGSTOP"),
    resume: () => server.process.kill("SIGCONT"),
    stop: () => server.stop(),
    async start(added) {
      server = await launch(added);
    },
  };
}
