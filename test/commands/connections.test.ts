/** Connections and request headers of a listening server, on the wire. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createConnection } from "node:net";
import { join } from "node:path";
import { tempFolder } from "../helpers/temp-folder.ts";
import { addUserWithKey, startServerProcess, type ServerProcess } from "../helpers/server-process.ts";

let server: ServerProcess;
let authorization: string;

beforeAll(async () => {
  const folder = tempFolder();
  server = await startServerProcess({ folder });
  ({ Authorization: authorization } = await addUserWithKey({ folder }));
});
afterAll(() => server[Symbol.asyncDispose]());

interface RawReply {
  readonly status: number;
  /** Header lines, in lower case. */
  readonly head: readonly string[];
  readonly body: string;
}

/** Sends a text and reads until the server closes the connection. */
function send(...lines: string[]): Promise<RawReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const socket = createConnection(server.port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.on("error", reject).on("end", () => {
    socket.destroy();
    const [head = "", body = ""] = text.split("\r\n\r\n", 2);
    resolve({ status: Number(head.split(" ")[1]), head: head.toLowerCase().split("\r\n"), body });
  });
  return promise;
}

const NODE = Bun.which("node");
/** Sends sequential requests from the installed Node.js; prints how many succeeded. */
const NODE_CLIENT = `
  const [client, address, authorization] = process.argv.slice(1);
  const headers = { Authorization: authorization, Connection: "close" };
  const { default: axios } = require("axios");
  const nodeFetch = require("node-fetch");
  const calls = {
    axios: async (path) => (await axios.get(address + path, { headers })).status,
    "node-fetch": async (path) => {
      const response = await nodeFetch(address + path, { headers });
      await response.json();
      return response.status;
    },
  };
  (async () => {
    let succeeded = 0;
    for (let i = 0; i < 1000; i++) if ((await calls[client]("/api/orgs")) === 200) succeeded++;
    console.log(succeeded);
  })();
`;

describe("responds to Connection: close with Connection: close", () => {
  test.each(["close", "Close", "keep-alive, close"])("as %s", async (connection) => {
    for (const path of ["/status", "/api/orgs", "/api/nothing", "/sign-in"]) {
      const { head } = await send(`GET ${path} HTTP/1.1`, "Host: localhost", `Connection: ${connection}`);
      expect([path, head.filter((line) => line.startsWith("connection:"))]).toEqual([path, ["connection: close"]]);
    }
  });

  test("while other connections stay open", async () => {
    const reply = await fetch(`${server.address}/status`);
    expect(reply.headers.get("connection")).not.toBe("close");
  });

  test.skipIf(NODE === null).each(["node-fetch", "axios"])(
    `1,000 calls of %s, one after the other, succeed${NODE === null ? " (skipped: there is no node)" : ""}`,
    async (client) => {
      const command = [NODE ?? "", "-e", NODE_CLIENT, client, server.address, authorization];
      const child = Bun.spawn(command, { cwd: join(import.meta.dir, "../.."), stdout: "pipe", stderr: "pipe" });
      expect([await child.stderr.text(), await child.stdout.text()]).toEqual(["", "1000\n"]);
    },
    120_000,
  );
});

describe("a request without a valid Host header keeps its path:", () => {
  const heads: [what: string, ...lines: string[]][] = [
    ["HTTP/1.0", "HTTP/1.0"],
    ["an empty one", "HTTP/1.1", "Host:"],
    ...["a b", "a/b", "a?b", "a#b", "u@a", "a\\b", "a:99999", "[::1", "xn--"].map((host): [string, string, string] => [
      host,
      "HTTP/1.1",
      `Host: ${host}`,
    ]),
  ];

  test.each(heads)("%s", async (_, version = "", ...lines) => {
    const ask = (path: string) => send(`GET ${path} ${version}`, ...lines, "Connection: close");
    expect(await ask("/status?ready=1")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await ask("/api/orgs")).toMatchObject({ status: 200, body: "[]" });
    expect((await ask("/sign-in?next=/trash")).body).toContain('name="next" value="/trash"');
    expect((await ask("/profile")).head).toContain("location: /sign-in?next=%2fprofile");
    expect((await ask("/")).status).toBe(303);
    for (const path of ["/public/status", "//x/status", "/x/api/orgs", "/x/metrics"]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });

  test("HTTP/1.0 with a body", async () => {
    const body = '{"name":"Work"}';
    const lines = [
      `Authorization: ${authorization}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    const reply = await send("POST /api/orgs/current/workspaces HTTP/1.0", ...lines, "", body);
    expect({ status: reply.status, isNumber: /^\d+$/.test(reply.body) }).toEqual({ status: 200, isNumber: true });
  });
});

test.each([
  [["Host: localhost", "Host: localhost"]],
  [["Host: localhost", "Host: other"]],
  [["Host:", "Host: other"]],
  [["Host: localhost, other"]],
])("two Host headers are refused: %j", async (hosts) => {
  for (const path of ["/status", "/api/orgs", "/sign-in", "/metrics"]) {
    const { status, body } = await send(`GET ${path} HTTP/1.1`, ...hosts, "Connection: close");
    expect({ path, status }).toEqual({ path, status: 400 });
    expect(JSON.parse(body)).toMatchObject({ details: { code: "request.host" } });
  }
});
