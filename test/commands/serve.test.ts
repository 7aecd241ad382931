/** The server as a process: startup, startup failures, shutdown. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHome } from "../../src/home/home.ts";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const work of cleanUp.splice(0).toReversed()) work();
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quern-serve-"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function quern(...args: string[]) {
  const child = Bun.spawn([...PROGRAM_COMMAND, ...args], { stdout: "pipe", stderr: "pipe", stdin: "ignore" });
  cleanUp.push(() => child.kill("SIGKILL"));
  return child;
}

async function serve(folder: string, ...args: string[]) {
  const child = quern("serve", "--data", folder, "--port", "0", ...args);
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const line = new TextDecoder().decode(value);
  const address = /^Listening on (http:\S+)\n$/.exec(line)?.[1];
  if (!address) throw new Error(`unexpected first line ${JSON.stringify(line)}`);
  return { child, address, reader };
}

async function outcome(child: ReturnType<typeof quern>) {
  const [status, out, err] = [
    await child.exited,
    await new Response(child.stdout).text(),
    await new Response(child.stderr).text(),
  ];
  return { status, out, lines: err.trimEnd().split("\n") };
}

test("prints one line, serves, and exits with 0 on SIGTERM, leaving clean files", async () => {
  const folder = freshFolder();
  const { child, address, reader } = await serve(folder);
  expect((await fetch(`${address}/status?ready=1`)).status).toBe(200);
  const link = readFileSync(join(folder, "first-run-link"), "utf8").trim();
  expect(link).toStartWith(`${address}/first-run?token=`);
  expect(statSync(join(folder, "first-run-link")).mode & 0o777).toBe(0o600);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect((await reader.read()).done).toBe(true);
  const errors = await new Response(child.stderr).text();
  expect(errors).toStartWith(
    `No users yet. Open this link to create the first one: ${link}\nDocumentation: ${address}/help\n`,
  );
  expect(readdirSync(folder).filter((name) => name.endsWith("-wal") || name.endsWith("-shm"))).toEqual([]);
});

test("a second server on the same data folder is refused, and the first continues", async () => {
  const folder = freshFolder();
  const { address } = await serve(folder);
  const { status, out, lines } = await outcome(quern("serve", "--data", folder, "--port", "0"));
  expect({ status, out }).toEqual({ status: 1, out: "" });
  expect(lines).toEqual([`quern serve: the data folder ${folder} is in use by another server`]);
  expect((await fetch(`${address}/status`)).status).toBe(200);
});

test("commands work beside a running server, and take effect immediately", async () => {
  const folder = freshFolder();
  const { address } = await serve(folder);
  const run = (...args: string[]) => outcome(quern(...args, "--data", folder));
  expect((await run("user", "add", "--email", "a@example.com", "--name", "A")).status).toBe(0);
  const key = (await run("key", "create", "--email", "a@example.com")).out.trim();
  const orgs = () => fetch(`${address}/api/orgs`, { headers: { Authorization: `Bearer ${key}` } });
  expect((await orgs()).status).toBe(200);
  expect((await run("key", "revoke", "--email", "a@example.com")).status).toBe(0);
  expect((await orgs()).status).toBe(401);
});

test("reports a port in use and an uncreatable folder in one line each", async () => {
  const { address } = await serve(freshFolder());
  const port = new URL(address).port;
  const taken = await outcome(quern("serve", "--data", freshFolder(), "--port", port));
  expect(taken.status).toBe(1);
  expect(taken.lines.at(-1)).toBe(
    `quern serve: port ${port} on 127.0.0.1 is in use by another program; choose another one with --port`,
  );
  const file = join(freshFolder(), "file");
  writeFileSync(file, "");
  const nowhere = await outcome(quern("serve", "--data", join(file, "data")));
  expect(nowhere.status).toBe(1);
  expect(nowhere.lines).toHaveLength(1);
  expect(nowhere.lines[0]).toContain("is not writable");
});

test("refuses data of a newer version with a message and leaves it unchanged", async () => {
  const folder = freshFolder();
  const home = openHome(folder);
  home.raw.exec("pragma user_version = 99");
  home.close();
  const { status, lines } = await outcome(quern("serve", "--data", folder));
  expect(status).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("version 99");
  expect(existsSync(join(folder, "backups"))).toBe(false);
});

test("status reports the server's health, by its settings or its URL", async () => {
  const folder = freshFolder();
  const { child, address } = await serve(folder);
  const port = new URL(address).port;
  const ask = async (env: Record<string, string>, ...args: string[]) => {
    const asking = Bun.spawn([...PROGRAM_COMMAND, "status", ...args], {
      env: { ...process.env, ...env },
      stdout: "pipe",
      stderr: "pipe",
    });
    const { status, out, lines } = await outcome(asking);
    return [status, out, lines.join("\n")];
  };
  expect(await ask({}, "--url", `${address}/`)).toEqual([0, "ok\n", ""]);
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    expect(await ask({ QUERN_HOST: host, QUERN_PORT: port })).toEqual([0, "ok\n", ""]);
  }
  expect(await ask({}, "--url", address, "--json")).toEqual([0, `{"status":"ok","address":"${address}"}\n`, ""]);
  child.kill("SIGTERM");
  await child.exited;
  const [status, out, err] = await ask({}, "--url", address);
  expect([status, out]).toEqual([1, ""]);
  expect(err).toStartWith(`quern status: ${address} does not answer: `);
  expect(await ask({}, "--url", "nowhere")).toEqual([
    1,
    "",
    'quern status: --url must be an http or https URL, not "nowhere"',
  ]);
});

test("temporary files of a crashed server are removed at the start, those of other processes are not", async () => {
  const folder = freshFolder();
  const crashed = await serve(folder);
  crashed.child.kill("SIGKILL");
  await crashed.child.exited;
  const temporary = join(folder, "tmp");
  const foreign = `import-${process.pid}-0123456789abcdef-1.rows`;
  for (const name of [`upload-${crashed.child.pid}-0123456789abcdef`, foreign])
    writeFileSync(join(temporary, name), "x");
  await serve(folder);
  expect(readdirSync(temporary)).toEqual([foreign]);
});
