/** A new user's way through an installed server: start, first user, key, document, table, record. */
import { $ } from "bun";
import { readAddress } from "../../running-server.ts";
import { terminateInRoot, runInRoot, spawnInRoot, type RootFolder } from "./root-folder.ts";

export interface Installation {
  /** The command line of the program: `["/usr/bin/quern"]`. */
  readonly program: readonly string[];
  /** Settings, such as the data folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the program runs, if not in this system. */
  readonly root?: RootFolder;
}

/**
 * Starts the server, adds a record to a new document with curl, reads it back, and stops the server.
 * @throws Error if any step fails
 */
export async function createFirstRecord({ program, env, root }: Installation): Promise<void> {
  const settings = { ...env, QUERN_PORT: String(freePort()) };
  const place: RootFolder | undefined = root && { ...root, env: { ...root.env, ...settings } };
  const environment = { PATH: process.env["PATH"] ?? "", ...settings };
  const quern = async (...args: string[]): Promise<string> => {
    if (place) return (await runInRoot(place, [...program, ...args])).stdout.trim();
    return (await $`${program} ${args}`.env(environment).quiet().text()).trim();
  };

  const server = place
    ? spawnInRoot(place, [...program, "serve"])
    : Bun.spawn([...program, "serve"], { env: environment, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const log = server.stderr.text();
  try {
    const address = (await readAddress(server.stdout))?.replace("0.0.0.0", "127.0.0.1");
    if (address === undefined) throw new Error("the server did not start");
    await quern("status");
    await quern("user", "add", "--email", "ada@example.com", "--name", "Ada", "--admin");
    const key = await quern("key", "create", "--email", "ada@example.com", "--label", "first");
    await addRecord(`${address}/api`, key);
  } catch (error) {
    server.kill("SIGKILL");
    throw new Error(`${(error as Error).message}\nLog of the server:\n${await log}`, { cause: error });
  }
  if (place) terminateInRoot(server);
  else server.kill("SIGTERM");
  const status = await server.exited;
  if (status !== 0) throw new Error(`the server ended with status ${status}:\n${await log}`);
}

async function addRecord(api: string, key: string): Promise<void> {
  const call = async <T>(path: string, body?: unknown): Promise<T> => {
    const data = body === undefined ? [] : ["--data", JSON.stringify(body)];
    const headers = ["--header", `Authorization: Bearer ${key}`, "--header", "Content-Type: application/json"];
    const answer = await $`curl --silent --show-error --fail-with-body ${headers} ${data} ${api}${path}`
      .nothrow()
      .quiet();
    if (answer.exitCode !== 0) throw new Error(`${path}: ${answer.stdout.toString()}${answer.stderr.toString()}`);
    return JSON.parse(answer.stdout.toString()) as T;
  };
  const [workspace] = await call<{ id: number }[]>("/orgs/current/workspaces");
  if (!workspace) throw new Error("the first user has no workspace");
  const doc = await call<string>(`/workspaces/${workspace.id}/docs`, { name: "Stock" });
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Price", fields: { type: "Numeric" } },
    { id: "Double", fields: { type: "Numeric", formula: "$Price * 2" } },
  ];
  await call(`/docs/${doc}/tables`, { tables: [{ id: "Items", columns }] });
  await call(`/docs/${doc}/tables/Items/records`, { records: [{ fields: { Name: "Hammer", Price: 12.5 } }] });
  // A query runs in a process of its own, which needs /bin/sh.
  const query = `/docs/${doc}/sql?q=${encodeURIComponent("SELECT Name, Double FROM Items")}`;
  const { records } = await call<{ records: { fields: unknown }[] }>(query);
  const expected = JSON.stringify([{ fields: { Name: "Hammer", Double: 25 } }]);
  if (JSON.stringify(records) !== expected) throw new Error(`${JSON.stringify(records)} instead of ${expected}`);
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop();
  return port;
}
