/** A server with two documents, and those who write to them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, type ServerOptions, startServer } from "../running-server.ts";
import type { Findings } from "./fault.ts";

export interface Answer {
  /** 0 when there was none. */
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly ms: number;
}

export interface FaultServer extends AsyncDisposable {
  readonly server: RunningServer;
  /** The data folder, as the server sees it. */
  readonly data: string;
  readonly key: string;
  readonly workspace: number;
  /** The document that the fault concerns, and one that it does not. */
  readonly own: string;
  readonly other: string;
  /** Sends a request; no answer is an answer too. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /** As `ask`. @throws Error for any other status than 200 */
  requestOk<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The lines of the log that are errors. */
  errors(): Promise<string[]>;
  /** Every document's file passes `doc check`. */
  check(findings: Findings): Promise<void>;
}

export interface FaultServerOptions extends ServerOptions {
  /** Where the data folder is to be; a temporary one otherwise. */
  readonly data?: string;
}

const OWNER = "owner@example.com";

/** Starts a server and makes its documents, each with a table Items. */
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

/** Sends requests with a key, each on a connection of its own unless they are kept. */
export function createRequester(address: string, key: string, { isKept = false } = {}): FaultServer["request"] {
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const start = performance.now();
    try {
      const response = await fetch(path.startsWith("/status") ? address + path : `${address}/api${path}`, {
        method,
        keepalive: isKept,
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

/** Rows of one request: there are all of them or none. */
const BATCH = 3;

/** Somebody who adds rows to a document, and knows which of them have to be there. */
export class VerifyingWriter {
  /** Numbers of requests. */
  readonly acknowledged = new Set<number>();
  readonly refused = new Set<number>();
  readonly #stage: Pick<FaultServer, "request">;
  readonly #path: string;
  readonly #name: string;
  #sent = 0;

  constructor(stage: Pick<FaultServer, "request">, document: string, name = "w") {
    this.#stage = stage;
    this.#path = `/docs/${document}/tables/Items/records`;
    this.#name = name;
  }

  /** Adds some rows, as many bytes in each as `size`. */
  async add(size = 10): Promise<Answer> {
    const number = ++this.#sent;
    const records = Array.from({ length: BATCH }, (_, at) => ({
      fields: { Key: `${this.#name}/${number}/${at}`, Text: "x".repeat(size) },
    }));
    const answer = await this.#stage.request("POST", this.#path, { records });
    if (answer.status === 200) this.acknowledged.add(number);
    // Whoever gets no answer, or hears that it goes on, does not know.
    else if (answer.status !== 0 && answer.status !== 504) this.refused.add(number);
    return answer;
  }

  /** What was acknowledged is there, what was refused is not, and nothing is by halves. */
  async verify(findings: Findings): Promise<void> {
    const answer = await this.#stage.request("GET", this.#path);
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
    findings.expect(unexpected.length === 0, `${this.#name}: ${unexpected.length} refused requests were carried out`);
    findings.expect(partial.length === 0, `${this.#name}: ${partial.length} requests were carried out by halves`);
  }
}
