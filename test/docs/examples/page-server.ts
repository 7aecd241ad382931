/** Runs the server of a page, on a copy of a data folder with a user, a key and the sample document. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, startServer } from "../../../scripts/running-server.ts";
import { PROGRAM_COMMAND } from "../../helpers/run-quern.ts";
import { type Call, createSampleDocument } from "./sample-document.ts";

/** Variables that the examples use. */
export interface ExampleVariables {
  /** Address of the server. */
  readonly QUERN: string;
  /** API key of an owner of the document, who is also an administrator. */
  readonly KEY: string;
  /** Id of the sample document. */
  readonly DOC: string;
  /** Id of the document's workspace. */
  readonly WORKSPACE: string;
}

export interface PageServer {
  readonly server: RunningServer;
  /** Stops the server, and starts it on the same data and port. */
  restart(): Promise<void>;
  readonly variables: ExampleVariables;
  readonly call: Call;
}

interface DataFolder {
  readonly path: string;
  readonly variables: Omit<ExampleVariables, "QUERN">;
}

/** Settings of the servers of all pages. */
const SETTINGS = {
  QUERN_LOG_LEVEL: "warn",
  QUERN_METRICS: "loopback",
  // Receivers of webhooks run on this machine.
  QUERN_WEBHOOK_ALLOW: "127.0.0.1",
};

let prepared: Promise<DataFolder> | undefined;

/** Starts a server on its own copy of the data, in the folder `data`. */
export async function startPageServer(
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PageServer> {
  const { path, variables } = await (prepared ??= prepareData());
  cpSync(path, data, { recursive: true });
  const all = { ...SETTINGS, ...settings, QUERN_DATA: data };
  const start = (more = {}) => startServer({ executable: PROGRAM_COMMAND, settings: { ...all, ...more } });
  let server = await start();
  const { address } = server;
  return {
    get server() {
      return server;
    },
    async restart() {
      await server.stop();
      server = await start({ QUERN_PORT: new URL(address).port });
    },
    variables: { QUERN: address, ...variables },
    call: caller(address, variables.KEY),
  };
}

async function prepareData(): Promise<DataFolder> {
  // Not removed after the file that comes first: the files in the same process share it.
  const folder = mkdtempSync(join(tmpdir(), "quern-docs-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "data");
  await using server = await startServer({ executable: PROGRAM_COMMAND, settings: { ...SETTINGS, QUERN_DATA: path } });
  const owner = ["--email", "ada@example.com"];
  await server.command("user", "add", ...owner, "--name", "Ada", "--admin");
  const { key } = await server.command<{ key: string }>("key", "create", ...owner);
  const call = caller(server.address, key);
  const [workspace] = await call<{ id: number }[]>("GET", "/orgs/current/workspaces");
  if (!workspace) throw new Error("the first user has no workspace");
  const document = await createSampleDocument(call, workspace.id);
  return { path, variables: { KEY: key, DOC: document, WORKSPACE: String(workspace.id) } };
}

const caller =
  (address: string, key: string): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
