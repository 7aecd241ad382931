/** scripts/install, with an npm that installs nothing but records its calls. */
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
  // Bun's own script moves its executable into place.
  program("programs/node", "echo node >>calls; printf '#!/bin/sh\\n' >node_modules/.bin/bun");
  program("node_modules/.bin/bun", "exit 1");
});

function install(): { readonly status: number; readonly calls: string } {
  rmSync(path("calls"), { force: true });
  const env = { PATH: `${path("programs")}:/usr/bin:/bin` };
  const { exitCode } = Bun.spawnSync(["/bin/sh", "-c", ". scripts/install"], { cwd: folder, env });
  return { status: exitCode, calls: text("calls").replaceAll("\n", " ").trim() };
}

test("installs packages when the lock file changes, and moves Bun's executable into place once", () => {
  expect(install()).toEqual({ status: 0, calls: "npm node" });
  expect(install()).toEqual({ status: 0, calls: "" });
  writeFileSync(path("package-lock.json"), "second");
  expect(install()).toEqual({ status: 0, calls: "npm" });
  expect(install()).toEqual({ status: 0, calls: "" });
});

test("repeats a failed installation, also for the lock file of the last successful one", () => {
  install();
  writeFileSync(path("package-lock.json"), "second");
  program("programs/npm", "echo npm >>calls; exit 1");
  expect(install()).toEqual({ status: 1, calls: "npm" });
  writeFileSync(path("package-lock.json"), "first");
  program("programs/npm", "echo npm >>calls");
  expect(install()).toEqual({ status: 0, calls: "npm" });
});

test("installing does not affect a hard-linked copy of node_modules", () => {
  install();
  linkSync(path("node_modules/.installed"), path("other"));
  writeFileSync(path("package-lock.json"), "second");
  install();
  expect([text("node_modules/.installed"), text("other")]).toEqual(["second", "first"]);
});
