/** The ways by which clients reach the tools, each for any key. */
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as McpClient } from "@modelcontextprotocol/client";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { clientOptions, connect, type Protocol, PROTOCOLS } from "./mcp-site.ts";

export interface Way {
  readonly name: string;
  readonly protocol: Protocol;
  /** @param address of the server, without a slash at the end */
  connect(address: string, key: string): Promise<Client>;
}

const overHttp = PROTOCOLS.map((protocol): Way => ({
  name: `HTTP by ${protocol}`,
  protocol,
  connect: (address, key) => connect(`${address}/mcp`, { protocol, key }),
}));

const overStdio = PROTOCOLS.map((protocol): Way => ({
  name: `stdio by ${protocol}`,
  protocol,
  async connect(address, key) {
    const client = new McpClient({ name: "test", version: "1" }, clientOptions(protocol));
    const [command = "", ...args] = PROGRAM_COMMAND;
    const env = {
      QUERN_URL: address,
      QUERN_API_KEY: key,
      XDG_CONFIG_HOME: tempFolder(),
      PATH: process.env["PATH"] ?? "",
    };
    await client.connect(new StdioClientTransport({ command, args: [...args, "mcp"], env, stderr: "inherit" }));
    return client;
  },
}));

export const WAYS: readonly Way[] = [...overHttp, ...overStdio];
