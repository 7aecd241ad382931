/** The loop of the Python guide over live changes: it survives a restart of the server, and ends when access is lost. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { blocksOf } from "./examples/blocks.ts";
import { type PageServer, startPageServer } from "./examples/page-server.ts";

const PYTHON = Bun.which("python3");
const folder = tempFolder();
let server: PageServer;

beforeAll(async () => {
  if (PYTHON === null) return;
  const page = readFileSync(join(import.meta.dir, "../../docs/python.md"), "utf8");
  for (const { attributes, text } of blocksOf("docs/python.md", page)) {
    const { file } = attributes;
    if (file !== undefined) writeFileSync(join(folder, file), text);
  }
  server = await startPageServer(join(tempFolder(), "data"));
}, 60_000);
afterAll(async () => {
  await server?.server.stop();
});

test.skipIf(PYTHON === null)(
  `the loop over live changes goes on after a restart, until the key is deleted${PYTHON === null ? " (skipped: needs python3)" : ""}`,
  async () => {
    const { DOC, QUERN } = server.variables;
    const key = await server.call<{ id: number; key: string }>("POST", "/profile/keys", { label: "Watcher" });
    const child = Bun.spawn([PYTHON ?? "", "watch.py"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", QUERN, DOC, KEY: key.key, PYTHONDONTWRITEBYTECODE: "1" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const lines: string[] = [];
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stdout) lines.push(...decoder.decode(chunk).trimEnd().split("\n"));
    })();
    const change = (amount: number) =>
      server.call("PATCH", `/docs/${DOC}/tables/Orders/records`, { records: [{ id: 3, fields: { Amount: amount } }] });

    await expectPoll(() => lines).toEqual(["{2: 1, 3: 1, 4: 4}"]);
    await server.restart();
    await change(5);
    await expectPoll(() => lines.at(-1) ?? "").toBe("{2: 1, 3: 5, 4: 4}");
    await server.call("DELETE", `/profile/keys/${key.id}`);
    expect(await child.exited).toBe(1);
    await reading;
    expect(await child.stderr.text()).toContain("QuernError: ");
  },
  120_000,
);
