/** `quern mcp` as a process: its ends, its stdout, and servers that fail. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freePort } from "../../scripts/free-port.ts";
import type { TestApp } from "../helpers/app.ts";
import { type ListeningApp, listeningApp } from "../helpers/listening-app.ts";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let server: TestApp;
let address: string;
let listening: ListeningApp;

beforeAll(async () => {
  listening = await listeningApp();
  ({ server, address } = listening);
});
afterAll(async () => {
  await listening[Symbol.asyncDispose]();
});

interface Message {
  readonly id: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access results freely
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Process extends AsyncDisposable {
  /** Sends a request, and returns its answer. */
  ask(method: string, params?: object): Promise<Message>;
  /** Sends a request, and waits for nothing. */
  send(method: string, params?: object): void;
  sendLine(line: string): void;
  callTool(name: string, args?: object): Promise<Message>;
  /** Waits for the end; returns the status, and what was not a message on stdout, or an error on stderr. */
  ended(): Promise<{ status: number; stray: readonly string[]; err: string }>;
  closeInput(): Promise<void>;
  kill(signal: "SIGINT" | "SIGTERM"): void;
}

/** Starts the process, and initializes the connection. */
async function startMcp(url: string, key: string): Promise<Process> {
  const env = { QUERN_URL: url, QUERN_API_KEY: key, XDG_CONFIG_HOME: tempFolder(), PATH: process.env["PATH"] ?? "" };
  const child = Bun.spawn([...PROGRAM_COMMAND, "mcp"], { env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const waiting = new Map<number, (message: Message) => void>();
  const stray: string[] = [];
  const read = (async () => {
    let rest = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = messageOf(line);
        if (message) waiting.get(message.id)?.(message);
        else stray.push(line);
      }
    }
    if (rest !== "") stray.push(rest);
  })();
  const err = new Response(child.stderr).text();
  let count = 0;
  const sendLine = (line: string) => {
    void child.stdin.write(`${line}\n`);
    void child.stdin.flush();
  };
  const write = (message: object) => sendLine(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++count;
    const answered = Promise.withResolvers<Message>();
    waiting.set(id, answered.resolve);
    write({ id, method, params });
    return answered.promise;
  };
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  write({ method: "notifications/initialized" });
  return {
    ask,
    sendLine,
    send: (method, params = {}) => write({ id: ++count, method, params }),
    callTool: (name, args = {}) => ask("tools/call", { name, arguments: args }),
    async ended() {
      const status = await child.exited;
      await read;
      return { status, stray, err: await err };
    },
    closeInput: async () => void (await child.stdin.end()),
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function messageOf(line: string): Message | null {
  try {
    const message = JSON.parse(line) as Message & { jsonrpc?: string };
    return message.jsonrpc === "2.0" ? message : null;
  } catch {
    return null;
  }
}

const CLEAN = { status: 0, stray: [], err: "" };

const ENDS: readonly (readonly [name: string, end: (mcp: Process) => unknown])[] = [
  ["its client closes stdin", (mcp) => mcp.closeInput()],
  ["Ctrl+C", (mcp) => mcp.kill("SIGINT")],
  ["SIGTERM", (mcp) => mcp.kill("SIGTERM")],
];

describe.each(ENDS)("%s ends the process", (_, end) => {
  test("that is idle, with nothing but messages on stdout", async () => {
    await using mcp = await startMcp(address, server.keys.owner);
    expect((await mcp.callTool("find_documents")).result.isError).toBeUndefined();
    await end(mcp);
    expect(await mcp.ended()).toEqual(CLEAN);
  }, 30_000);

  test("that waits for the server", async () => {
    const asked = Promise.withResolvers<void>();
    const never = Promise.withResolvers<Response>();
    const silent = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        asked.resolve();
        return never.promise;
      },
    });
    try {
      await using mcp = await startMcp(`http://127.0.0.1:${silent.port}`, server.keys.owner);
      mcp.send("tools/call", { name: "find_documents", arguments: {} });
      await asked.promise;
      await end(mcp);
      expect(await mcp.ended()).toEqual(CLEAN);
    } finally {
      never.resolve(new Response());
      await silent.stop(true);
    }
  }, 30_000);
});

test("lines that are no messages are answered or skipped, and the process goes on", async () => {
  await using mcp = await startMcp(address, server.keys.owner);
  for (const line of ["", "tools/list", '{"jsonrpc": "2.0", ', "[]", "null", "{}"]) mcp.sendLine(line);
  expect((await mcp.ask("no/such")).error).toMatchObject({ code: -32_601 });
  expect((await mcp.callTool("no_such")).error).toMatchObject({ code: -32_602 });
  expect((await mcp.callTool("find_documents")).result.isError).toBeUndefined();
  await mcp.closeInput();
  expect(await mcp.ended()).toMatchObject({ status: 0, stray: [] });
}, 30_000);

test("a revoked key is named in each answer, and the process goes on", async () => {
  const { id, key } = await server.must<{ id: number; key: string }>("POST", "/api/profile/keys", { label: "agent" });
  await using mcp = await startMcp(address, key);
  expect((await mcp.callTool("find_documents")).result.isError).toBeUndefined();
  await server.must("DELETE", `/api/profile/keys/${id}`);
  expect((await mcp.callTool("find_documents")).result).toMatchObject({
    isError: true,
    structuredContent: { code: "auth.key_invalid", next: expect.stringContaining("configure a valid one") },
  });
  expect((await mcp.ask("tools/list")).error?.message).toContain("configure a valid one");
  await mcp.closeInput();
  expect(await mcp.ended()).toEqual(CLEAN);
}, 30_000);

test("a server that is away is named in each answer, and is used again when it is back", async () => {
  const port = freePort();
  await using mcp = await startMcp(`http://127.0.0.1:${port}`, server.keys.owner);
  expect((await mcp.callTool("find_documents")).result).toMatchObject({
    isError: true,
    structuredContent: {
      code: "server.unreachable",
      error: `http://127.0.0.1:${port} does not answer: connection refused`,
      next: expect.stringContaining("list_history"),
    },
  });
  expect((await mcp.ask("tools/list")).error?.message).toContain("does not answer");
  const back = Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => server.app.handle(request) });
  expect((await mcp.callTool("find_documents")).result.isError).toBeUndefined();
  await back.stop(true);
  await mcp.closeInput();
  expect(await mcp.ended()).toEqual(CLEAN);
}, 30_000);
