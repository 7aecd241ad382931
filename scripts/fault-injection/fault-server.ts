/** A server with two documents and writers to them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, type ServerOptions, startServer } from "../running-server.ts";
import type { Findings } from "./fault.ts";

export interface Answer {
  /** 0 without a response. */
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly ms: number;
}

export interface FaultServer extends AsyncDisposable {
  readonly server: RunningServer;
  /** The data folder, as the server's process sees it. */
  readonly data: string;
  readonly key: string;
  readonly workspace: number;
  /** The document that the fault affects, and one that it does not. */
  readonly own: string;
  readonly other: string;
  /** Sends a request; a missing response is an answer with status 0. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Like `request`.
   * @throws Error for any status other than 200
   */
  requestOk<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Returns the error lines of the log. */
  errors(): Promise<string[]>;
  /** Checks that every document's file passes `doc check`. */
  check(findings: Findings): Promise<void>;
}

export interface FaultServerOptions extends ServerOptions {
  /** Path of the data folder; a temporary one by default. */
  readonly data?: string;
}

const OWNER = "owner@example.com";

/** Starts a server and creates its documents, each with a table Items. */
export async function startFaultServer({
  data: given,
  settings = {},
  ...options
}: FaultServerOptions = {}): Promise<FaultServer> {
  const folder = await mkdtemp(join(tmpdir(), "quern-fault-"));
  const data = given ?? join(folder, "data");
  const server = await startServer({
    ...options,
    settings: { QUERN_DATA: data, QUERN_LOG_LEVEL: "warn", ...settings },
  });
  await server.command("user", "add", "--email", OWNER, "--name", "Owner");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", OWNER);
  const request = createRequester(server.address, key);
  const requestOk = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await request(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  };
  const workspace = await requestOk<number>("POST", "/orgs/current/workspaces", { name: "Faults" });
  const make = async (name: string) => {
    const document = await requestOk<string>("POST", `/workspaces/${workspace}/docs`, { name });
    const columns = [
      { id: "Key", fields: { type: "Text" } },
      { id: "Text", fields: { type: "Text" } },
    ];
    await requestOk("POST", `/docs/${document}/tables`, { tables: [{ id: "Items", columns }] });
    return document;
  };
  const [own, other] = [await make("Own"), await make("Other")];
  return {
    server,
    data,
    key,
    workspace,
    own,
    other,
    request,
    requestOk,
    errors: async () => (await server.readLog()).split("\n").filter((line) => line.includes('"level":"error"')),
    async check(findings) {
      for (const document of [own, other]) {
        const file = join(data, "docs", document, "document.grist");
        await server.command("doc", "check", file).catch((error: Error) => findings.problems.push(error.message));
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a function that sends requests with a key, each on a new connection unless connections are kept alive. */
export function createRequester(address: string, key: string, { keepAlive = false } = {}): FaultServer["request"] {
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const start = performance.now();
    try {
      const response = await fetch(path.startsWith("/status") ? address + path : `${address}/api${path}`, {
        method,
        keepalive: keepAlive,
        headers: { Authorization: `Bearer ${key}`, ...(!isForm && { "Content-Type": "application/json" }) },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, headers: response.headers, ms: performance.now() - start };
    } catch (error) {
      return { status: 0, text: String(error), headers: new Headers(), ms: performance.now() - start };
    }
  };
}

/** Rows per request, which are written atomically. */
const BATCH = 3;

/** Adds rows to a document and tracks which of them must exist. */
export class VerifyingWriter {
  /** Numbers of requests. */
  readonly acknowledged = new Set<number>();
  readonly refused = new Set<number>();
  readonly #faultServer: Pick<FaultServer, "request">;
  readonly #path: string;
  readonly #name: string;
  #sent = 0;

  constructor(faultServer: Pick<FaultServer, "request">, document: string, name = "w") {
    this.#faultServer = faultServer;
    this.#path = `/docs/${document}/tables/Items/records`;
    this.#name = name;
  }

  /** Adds some rows with `size` bytes each. */
  async add(size = 10): Promise<Answer> {
    const number = ++this.#sent;
    const records = Array.from({ length: BATCH }, (_, at) => ({
      fields: { Key: `${this.#name}/${number}/${at}`, Text: "x".repeat(size) },
    }));
    const answer = await this.#faultServer.request("POST", this.#path, { records });
    if (answer.status === 200) this.acknowledged.add(number);
    // Without a response, or after a timeout (504), the result is unknown.
    else if (answer.status !== 0 && answer.status !== 504) this.refused.add(number);
    return answer;
  }

  /** Verifies that acknowledged requests exist, refused ones do not, and none was applied partially. */
  async verify(findings: Findings): Promise<void> {
    const answer = await this.#faultServer.request("GET", this.#path);
    if (answer.status !== 200) {
      findings.problems.push(`${this.#name}: reading afterwards: ${answer.status} ${answer.text.slice(0, 200)}`);
      return;
    }
    const { records } = JSON.parse(answer.text) as { records: { fields: { Key: string } }[] };
    const found = new Map<number, number>();
    for (const { fields } of records) {
      const [name, number] = fields.Key.split("/");
      if (name === this.#name) found.set(Number(number), (found.get(Number(number)) ?? 0) + 1);
    }
    const missing = [...this.acknowledged].filter((number) => !found.has(number));
    const unexpected = [...this.refused].filter((number) => found.has(number));
    const partial = [...found].filter(([, rows]) => rows !== BATCH);
    findings.expect(missing.length === 0, `${this.#name}: ${missing.length} acknowledged requests are lost`);
    findings.expect(unexpected.length === 0, `${this.#name}: ${unexpected.length} refused requests were applied`);
    findings.expect(partial.length === 0, `${this.#name}: ${partial.length} requests were applied partially`);
  }
}
