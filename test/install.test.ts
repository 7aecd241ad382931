/** scripts/install, with an npm that installs nothing but notes that it was called. */
import { beforeEach, expect, test } from "bun:test";
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./helpers/temp-folder.ts";

let folder: string;
const path = (name: string): string => join(folder, name);
const text = (name: string): string => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : "");
const program = (name: string, script: string): void =>
  writeFileSync(path(name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

beforeEach(() => {
  folder = tempFolder();
  for (const name of ["programs", "scripts", "node_modules/.bin"]) mkdirSync(path(name), { recursive: true });
  cpSync(join(import.meta.dir, "../scripts/install"), path("scripts/install"));
  writeFileSync(path("package-lock.json"), "first");
  program("programs/npm", "echo npm >>calls");
  // Bun's own script puts its executable in place.
  program("programs/node", "echo node >>calls; printf '#!/bin/sh\\n' >node_modules/.bin/bun");
  program("node_modules/.bin/bun", "exit 1");
});

function install(): { readonly status: number; readonly calls: string } {
  rmSync(path("calls"), { force: true });
  const env = { PATH: `${path("programs")}:/usr/bin:/bin` };
  const { exitCode } = Bun.spawnSync(["/bin/sh", "-c", ". scripts/install"], { cwd: folder, env });
  return { status: exitCode, calls: text("calls").replaceAll("\n", " ").trim() };
}

test("packages are installed when the lock file changes, and Bun's executable is put in place once", () => {
  expect(install()).toEqual({ status: 0, calls: "npm node" });
  expect(install()).toEqual({ status: 0, calls: "" });
  writeFileSync(path("package-lock.json"), "second");
  expect(install()).toEqual({ status: 0, calls: "npm" });
  expect(install()).toEqual({ status: 0, calls: "" });
});

test("an installation that fails is done again, also for the lock file of the last one that did not", () => {
  install();
  writeFileSync(path("package-lock.json"), "second");
  program("programs/npm", "echo npm >>calls; exit 1");
  expect(install()).toEqual({ status: 1, calls: "npm" });
  writeFileSync(path("package-lock.json"), "first");
  program("programs/npm", "echo npm >>calls");
  expect(install()).toEqual({ status: 0, calls: "npm" });
});

test("a copy of node_modules made of hard links does not count as installed when the other one is", () => {
  install();
  linkSync(path("node_modules/.installed"), path("other"));
  writeFileSync(path("package-lock.json"), "second");
  install();
  expect([text("node_modules/.installed"), text("other")]).toEqual(["second", "first"]);
});
