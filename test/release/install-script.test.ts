/** install.sh against a local server, on simulated systems. */
import { $ } from "bun";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compress } from "../../scripts/release/archive.ts";
import { checksumFile } from "../../scripts/release/report.ts";
import { packItems } from "../../scripts/release/tar.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const SCRIPT = join(import.meta.dir, "../../scripts/release/install.sh");
const VERSION = "1.2.3";
const SYSTEMS = ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl", "darwin-x64", "darwin-arm64"];

describe.skipIf(Bun.which("zstd") === null)("install.sh", () => {
  const release = tempFolder();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(Bun.file(join(release, basename(new URL(url).pathname)))),
    error: () => new Response("", { status: 404 }),
  });
  const archive = (system: string): string => join(release, `quern-${VERSION}-${system}.tar.zst`);
  let folder: string;

  async function publish(program: (system: string) => string): Promise<void> {
    for (const system of SYSTEMS) {
      const path = `quern-${VERSION}-${system}/quern`;
      const content = new TextEncoder().encode(`#!/bin/sh\n${program(system)}\n`);
      const tar = await packItems([{ path, mode: 0o755, content }], new Date(0));
      await Bun.write(archive(system), await compress(tar, 3));
    }
    await Bun.write(join(release, "SHA256SUMS"), await checksumFile(SYSTEMS.map(archive)));
  }

  /** Runs the script on a system that `uname` and `ldd` describe. */
  async function install(system: { os: string; cpu: string; ldd?: string }, ...options: string[]) {
    const programs = join(folder, "programs");
    mkdirSync(programs, { recursive: true });
    const program = (name: string, text: string) =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program("uname", `if [ "$1" = -s ]; then echo ${system.os}; else echo ${system.cpu}; fi`);
    program("ldd", `echo "${system.ldd ?? "ldd (GNU libc) 2.36"}"`);
    const env = { PATH: `${programs}:${process.env["PATH"]}`, HOME: folder };
    const to = join(folder, "bin");
    const all = ["--from", server.url.href, "--version", VERSION, "--to", to, ...options];
    const { exitCode, stdout, stderr } = await $`sh ${SCRIPT} ${all}`.env(env).nothrow().quiet();
    const quern = join(to, "quern");
    return {
      exitCode,
      output: stdout.toString() + stderr.toString(),
      installed: existsSync(quern) ? readFileSync(quern, "utf8") : undefined,
    };
  }

  beforeAll(async () => publish((system) => `# ${system}`));
  beforeEach(() => {
    folder = tempFolder();
  });
  afterAll(async () => server.stop(true));

  test.each([
    ["Linux", "x86_64", "ldd (GNU libc) 2.36", "linux-x64"],
    ["Linux", "aarch64", "ldd (GNU libc) 2.36", "linux-arm64"],
    ["Linux", "x86_64", "musl libc (x86_64)", "linux-x64-musl"],
    ["Linux", "aarch64", "musl libc (aarch64)", "linux-arm64-musl"],
    ["Darwin", "arm64", "", "darwin-arm64"],
    ["Darwin", "x86_64", "", "darwin-x64"],
  ])("on %s %s (%s) installs %s", async (os, cpu, ldd, expected) => {
    const { exitCode, installed, output } = await install({ os, cpu, ldd });
    expect([exitCode, installed]).toEqual([0, `#!/bin/sh\n# ${expected}\n`]);
    expect(output).toContain("Add ");
  });

  test.each([
    ["FreeBSD", "amd64", "no executable for FreeBSD"],
    ["Linux", "riscv64", "no executable for the processor riscv64"],
  ])("refuses %s %s", async (os, cpu, sentence) => {
    const { exitCode, output, installed } = await install({ os, cpu });
    expect([exitCode, installed]).toEqual([1, undefined]);
    expect(output).toContain(sentence);
  });

  test("refuses an archive whose checksum differs, and leaves an installed version alone", async () => {
    await install({ os: "Linux", cpu: "x86_64" });
    const good = await Bun.file(archive("linux-x64")).bytes();
    try {
      const bytes = Uint8Array.from(good);
      bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
      await Bun.write(archive("linux-x64"), bytes);
      const { exitCode, output, installed } = await install({ os: "Linux", cpu: "x86_64" });
      expect(exitCode).toBe(1);
      expect(output).toContain("was tampered with");
      expect(installed).toBe("#!/bin/sh\n# linux-x64\n");
    } finally {
      await Bun.write(archive("linux-x64"), good);
    }
  });

  test.each([
    ["a version that does not exist", ["--version", "9.9.9"], "has no checksum for quern-9.9.9-linux-x64.tar.zst"],
    ["an address without a release", ["--from", "http://127.0.0.1:1"], "cannot download"],
    ["an unknown option", ["--force", "yes"], "unknown option --force"],
    ["an option without a value", ["--from"], "--from needs a value"],
  ])("refuses %s", async (_, options, sentence) => {
    const { exitCode, output, installed } = await install({ os: "Linux", cpu: "x86_64" }, ...options);
    expect([exitCode, installed]).toEqual([1, undefined]);
    expect(output).toContain(sentence);
  });

  test("does not install an executable that does not run", async () => {
    await publish(() => "exit 1");
    try {
      const { exitCode, output, installed } = await install({ os: "Linux", cpu: "x86_64" });
      expect([exitCode, installed]).toEqual([1, undefined]);
      expect(output).toContain("does not run on this system");
    } finally {
      await publish((system) => `# ${system}`);
    }
  });

  test.skipIf(Bun.which("shellcheck") === null)("is accepted by shellcheck", async () => {
    const folder = join(import.meta.dir, "../../scripts/release");
    const scripts = [SCRIPT, `${folder}/smoke/enter-root.sh`, `${folder}/debian/postinst`, `${folder}/debian/postrm`];
    const checked = await $`shellcheck --shell=sh ${scripts}`.nothrow().quiet();
    expect(checked.stdout.toString()).toBe("");
  });
});
