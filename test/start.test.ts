/** scripts/start, with the program under test instead of a new build. */
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeProgram } from "./docs/examples/releases.ts";
import { freePort } from "./helpers/server-process.ts";
import { tempFolder } from "./helpers/temp-folder.ts";

const SCRIPTS = join(import.meta.dir, "../scripts");

/** A folder with the script, and an executable that needs no build. */
function checkout(): string {
  const folder = tempFolder();
  for (const name of ["scripts", "dist"]) mkdirSync(join(folder, name));
  for (const name of ["start", "sample.ts", "sample.csv"]) cpSync(join(SCRIPTS, name), join(folder, "scripts", name));
  writeFileSync(join(folder, "scripts/install"), "build() { true; }\n");
  writeProgram(join(folder, "dist/quern"));
  return folder;
}

/** Starts the server in a checkout; resolves when the script has printed its three lines. */
async function start(folder: string) {
  const child = Bun.spawn(["sh", "scripts/start"], {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      QUERN_PORT: String(freePort()),
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let text = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  while (text.split("\n").length < 4) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`scripts/start has ended: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { text, [Symbol.asyncDispose]: stop };
}

test("scripts/start leads to the pages, the documentation and a first request, and continues with the same data", async () => {
  const folder = checkout();
  for (const run of ["first", "second"]) {
    await using started = await start(folder);
    const { text } = started;
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    expect(text).toContain(`its documentation at ${address}/help`);
    expect((await fetch(`${address}/help`)).status).toBe(200);
    const [, key = "", url = ""] = /Bearer (\w+)" "([^"]+)"/.exec(text) ?? [];
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    const { records } = (await response.json()) as { records: { fields: object }[] };
    expect({ run, item: records[0]?.fields }).toMatchObject({ run, item: { Item: "Oak board 2 m" } });
    const body = {
      email: "owner@example.com",
      password: readFileSync(join(folder, "data/first-password"), "utf8").trim(),
    };
    const signedIn = await fetch(`${address}/sign-in`, {
      method: "POST",
      body: new URLSearchParams(body),
      headers: { Origin: address },
      redirect: "manual",
    });
    expect({ run, status: signedIn.status }).toEqual({ run, status: 303 });
  }
});
