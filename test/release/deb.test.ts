/** The Debian package: its fields, files, owners and scripts. Its installation is tested by scripts/release. */
import { $ } from "bun";
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDeb, debianVersion } from "../../scripts/release/deb.ts";
import { manualPage } from "../../scripts/release/manual-page.ts";
import { COMMANDS } from "../../src/commands/run.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const ROOT = join(import.meta.dir, "../..");
const TIME = new Date(1_700_000_000_000);

describe.skipIf(Bun.which("dpkg-deb") === null)("the package", () => {
  let deb: string;

  async function create(name: string): Promise<string> {
    const out = join(tempFolder(), name);
    mkdirSync(out);
    const executable = join(out, "executable");
    writeFileSync(executable, "program");
    const notices = "Notices of others";
    return createDeb({
      root: ROOT,
      architecture: "arm64",
      version: "1.2.3-rc.1",
      executable,
      notices,
      time: TIME,
      out,
    });
  }

  beforeAll(async () => {
    deb = await create("one");
  });

  test("has the same bytes when it is created again in another folder", async () => {
    const other = await create("another-folder");
    expect(await Bun.file(other).bytes()).toEqual(await Bun.file(deb).bytes());
  });

  test("has the fields of the release", async () => {
    const fields = await $`dpkg-deb --field ${deb}`.text();
    for (const field of ["Package: quern", "Version: 1.2.3~rc.1", "Architecture: arm64", "libc6 (>= 2.17)"]) {
      expect(fields).toContain(field);
    }
  });

  test("contains the executable, the unit, the settings and the notices, owned by root", async () => {
    const lines = (await $`dpkg-deb --contents ${deb}`.text()).trim().split("\n");
    const files = new Map(lines.map((line) => [line.split(/\s+/)[5], line]));
    expect(files.get("./usr/bin/quern")).toStartWith("-rwxr-xr-x root/root");
    for (const path of [
      "./usr/lib/systemd/system/quern.service",
      "./etc/quern/quern.env",
      "./usr/share/man/man1/quern.1.gz",
      "./usr/share/doc/quern/copyright",
      "./usr/share/doc/quern/THIRD-PARTY-NOTICES.txt.gz",
    ]) {
      expect(files.get(path)).toStartWith("-rw-r--r-- root/root");
    }
    for (const line of lines) expect(line).toContain("2023-11-14");
  });

  test("has the settings as a configuration file, and a unit that starts its own executable", async () => {
    expect(await $`dpkg-deb --info ${deb} conffiles`.text()).toBe("/etc/quern/quern.env\n");
    const unit = await $`dpkg-deb --fsys-tarfile ${deb} | tar -xO ./usr/lib/systemd/system/quern.service`.text();
    expect(unit).toContain("ExecStart=/usr/bin/quern serve\n");
    expect(unit).not.toContain("/usr/local");
  });

  test("has prereleases sorted before the release", async () => {
    const { exitCode } = await $`dpkg --compare-versions ${debianVersion("1.2.3-rc.1")} lt 1.2.3`.nothrow();
    expect(exitCode).toBe(0);
  });
});

test.each(["postinst", "prerm", "postrm"])("%s is accepted by the shell, and stops at errors", async (name) => {
  const path = join(ROOT, "scripts/release/debian", name);
  expect((await $`sh -n ${path}`.nothrow().quiet()).exitCode).toBe(0);
  expect(await Bun.file(path).text()).toContain("\nset -e\n");
});

test("removing the package never deletes documents, and purging deletes an empty data folder only", async () => {
  const script = await Bun.file(join(ROOT, "scripts/release/debian/postrm")).text();
  const deletions = script.split("\n").filter((line) => /\brm(dir)? /.test(line) && !line.includes("echo"));
  expect(deletions.map((line) => line.trim())).toEqual([
    "rm -rf /etc/quern",
    "if [ -d /var/lib/quern ] && ! rmdir /var/lib/quern 2>/dev/null; then",
  ]);
});

describe("the manual page", () => {
  const page = manualPage("1.2.3", TIME);

  test("describes every command", () => {
    for (const { name } of COMMANDS) expect(page).toContain(`.It Nm Cm ${name.replaceAll("-", "\\-")}`);
    expect(page).toContain(".Dd November 14, 2023");
  });

  test("has no empty lists, as of a command without options", () => {
    expect(page).not.toMatch(/^\.Bl .*\n\.El$/m);
  });

  test.skipIf(Bun.which("groff") === null)("is formatted without warnings", async () => {
    const formatted = await $`groff -mdoc -ww -Tutf8 < ${Buffer.from(page)}`.quiet();
    expect(formatted.stderr.toString()).toBe("");
  });
});
