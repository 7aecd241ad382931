import { beforeAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../src/wire/audit/audit.ts";
import { openHome } from "../../src/home/home.ts";
import { prepareRestoredHome } from "../../src/home/home-copy.ts";
import { runQuern, startQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let folder: string;
const verify = (data: string, ...args: string[]) => runQuern(["audit", "verify", "--data", data, "--json", ...args]);
const reportOf = ({ out }: { out: readonly string[] }) => JSON.parse(out.join("")) as Record<string, unknown>;
const addUser = (data: string, name: string) =>
  runQuern(["user", "add", "--email", `${name}@example.com`, "--name", name, "--data", data]);

/** Returns a copy of the data folder whose log was changed past the program. */
function tampered(sql: string): string {
  const copy = tempFolder();
  mkdirSync(copy, { recursive: true });
  copyFileSync(join(folder, "home.sqlite"), join(copy, "home.sqlite"));
  const db = new Database(join(copy, "home.sqlite"));
  db.run("drop trigger audit_entries_no_update");
  db.run("drop trigger audit_entries_no_delete");
  db.run(sql);
  db.close();
  return copy;
}

beforeAll(async () => {
  folder = tempFolder();
  for (const name of ["anna", "bert", "carl"]) await addUser(folder, name);
});

test("verify reports the chain, and accepts a hash that it has", async () => {
  const result = await verify(folder);
  const report = reportOf(result);
  expect([result.status, report["entries"], report["first"], report["last"], report["firstBad"]]).toEqual([
    0,
    3,
    1,
    3,
    null,
  ]);
  const lastHash = String(report["lastHash"]);
  expect((await verify(folder, "--from", lastHash)).status).toBe(0);
  const other = await verify(folder, "--from", "1".repeat(64));
  expect([other.status, other.err.at(-1)]).toEqual([
    1,
    expect.stringContaining("no entry or checkpoint has the given hash"),
  ]);
  expect((await verify(folder, "--from", "x")).status).toBe(1);
});

test("verify names the first entry that was changed", async () => {
  const changed = await verify(tampered("update audit_entries set target = '{}' where number = 2"));
  expect([changed.status, reportOf(changed)["firstBad"]]).toEqual([1, 2]);
  expect(changed.err.at(-1)).toContain("entry 2 does not continue the chain");
});

test("verify needs a known hash to find entries that are missing at the end", async () => {
  const lastHash = String(reportOf(await verify(folder))["lastHash"]);
  const copy = tampered("delete from audit_entries where number = 3");
  expect((await verify(copy)).status).toBe(0);
  expect((await verify(copy, "--from", lastHash)).status).toBe(1);
});

test("a restored log continues with greater numbers, also when an older copy is restored twice", async () => {
  const numbers: number[] = [];
  for (const nowMs of [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]) {
    const copy = tampered("update audit_entries set number = number");
    prepareRestoredHome(join(copy, "home.sqlite"), { nowMs, withWebhooks: true, source: { backup: "b" } });
    {
      using home = openHome(copy);
      numbers.push(home.audit.last().number);
    }
    const result = await verify(copy);
    expect([result.status, reportOf(result)["entries"]]).toEqual([0, 4]);
    await addUser(copy, "dora");
    using home = openHome(copy);
    numbers.push(home.audit.last().number);
  }
  const first = Date.UTC(2026, 0, 1);
  const second = Date.UTC(2026, 0, 2);
  expect(numbers).toEqual([first, first + 1, second, second + 1]);
});

test("follow prints entries as they are written, until it is stopped", async () => {
  const child = startQuern(["audit", "follow", "--data", folder, "--after", "1"]);
  const reader = child.stdout.getReader();
  let text = "";
  const linesUntil = async (count: number): Promise<AuditEntry[]> => {
    while (text.split("\n").length <= count) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the output ended");
      text += new TextDecoder().decode(value);
    }
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEntry);
  };
  expect((await linesUntil(2)).map(({ number, event }) => [number, event])).toEqual([
    [2, "user.created"],
    [3, "user.created"],
  ]);
  await addUser(folder, "emma");
  const [last] = (await linesUntil(3)).slice(-1);
  expect([last?.actor, last?.target["user"]?.name]).toEqual(["command", "emma@example.com"]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
