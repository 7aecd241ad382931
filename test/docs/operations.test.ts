/** Compares docs/operations.md and the deployment examples with the program. */
import { idleTimeoutS } from "../../src/commands/idle-timeout.ts";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { COMMANDS } from "../../src/commands/run.ts";
import { readConfig, settingList } from "../../src/config.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { STATUS_BY_KIND } from "../../src/http/error-responses.ts";
import { METRICS } from "../../src/services/administration/metrics.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const operations = read("docs/operations.md");
const examples = readdirSync(join(ROOT, "docs/deploy")).map((name) => `docs/deploy/${name}`);
const unit = read("docs/deploy/quern.service");
const containerfile = read("docs/deploy/Containerfile");

const renamed = operations.split("\n### Names that changed in 0.2.0\n")[1]?.split("\n## ")[0] ?? "";

/** All sources, with line breaks replaced by spaces, so that sentences can be found. */
const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync({ cwd: ROOT })]
  .map((path) => read(path))
  .join("\n")
  .replaceAll(/\s+/g, " ");

/** Returns the cells of the table under a heading, by row. */
function tableUnder(heading: string): string[][] {
  const section = operations.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

test.each(["docs/operations.md", ...examples])("%s names existing settings", (path) => {
  const known = new Set<string>(settingList().map(({ env }) => env));
  // `QUERN_…` with a value, or alone.
  const named = read(path).match(/\bQUERN_[A-Z0-9_]+\b/g) ?? [];
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("settings accept the documented values", () => {
  const given = [operations, unit, ...examples.map(read)]
    .join("\n")
    .matchAll(/\b(QUERN_[A-Z0-9_]+)=([^\s`<…]*[^\s`<….])/g);
  let count = 0;
  for (const [, name = "", value = ""] of given) {
    expect(() => readConfig({}, { [name]: value })).not.toThrow();
    count++;
  }
  expect(count).toBeGreaterThan(8);
});

test("links lead to existing pages and headings", () => {
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const path of ["docs/operations.md", "docs/metrics.md"]) {
    const links = [...read(path).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [link, file = "", anchor] of links) {
      const target = file === "" ? path : join(dirname(path), file);
      expect([link, existsSync(join(ROOT, target))]).toEqual([link, true]);
      if (anchor) expect(anchors(read(target))).toContain(anchor);
    }
  }
});

test("alerts use existing metrics", () => {
  const current = operations.replace(renamed, "");
  const named = [...current.matchAll(/\b(quern_[a-z_]+)\b/g)].map(([, name = ""]) => name.replace(/_bucket$/, ""));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in METRICS))).toEqual([]);
});

test("the tables of renamed names lead from former names to names of the program", () => {
  const rows = [...renamed.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(([, before = "", now = ""]) => [
    before,
    now,
  ]);
  expect(rows.length).toBeGreaterThan(50);
  const exists = (name: string): boolean => name in METRICS || sources.includes(`"${name}"`);
  expect(rows.filter(([, now = ""]) => !exists(now))).toEqual([]);
  expect(rows.filter(([before = ""]) => before in METRICS)).toEqual([]);
});

test("the log table lists events of the program", () => {
  const events = tableUnder("Logs").flatMap(([names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(events.length).toBeGreaterThan(10);
  expect(
    events.filter(
      (name) => !new RegExp(`\\.(debug|info|warn|error)\\( ?"${name}"|log\\[level\\]\\("${name}"`).test(sources),
    ),
  ).toEqual([]);
});

test("the log table lists every event of the program", () => {
  const listed = new Set(
    tableUnder("Logs").flatMap(([names = ""]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
  );
  const logged = [...sources.matchAll(/(?:\.(?:debug|info|warn|error)|log\[level\])\( ?"([a-z_]+\.[a-z_]+)"/g)];
  expect(logged.length).toBeGreaterThan(40);
  expect(logged.map(([, name]) => name).filter((name) => !listed.has(name))).toEqual([]);
});

describe("the troubleshooting table", () => {
  const rows = tableUnder("Troubleshooting").filter(([status = ""]) => /^\d{3}$/.test(status));

  test.each(rows.map(([status = "", sentence = ""]) => [status, sentence]))("%s %s", (status, sentence) => {
    const text = sentence.replace(/^… /, "");
    expect(sources).toContain(text);
    const code = new RegExp(`AppError\\( ?"(\\w+)", ?["\`]${RegExp.escape(text)}`).exec(sources)?.[1];
    if (code) expect(String(STATUS_BY_KIND[code as ErrorCode])).toBe(status);
  });

  test("covers every status that the caller did not cause", () => {
    const covered = new Set(rows.map(([status]) => Number(status)));
    const needed = Object.values(STATUS_BY_KIND).filter((status) => status === 429 || status >= 500);
    expect(needed.filter((status) => !covered.has(status))).toEqual([]);
  });
});

test("names existing commands", () => {
  const names = new Set(COMMANDS.map(({ name }) => name));
  const used = [...`${operations}\n${unit}`.matchAll(/(?:^|`|-- |exec quern |bin\/)quern ((?:[a-z]+)(?: [a-z]+)?)/gm)];
  expect(used.length).toBeGreaterThan(5);
  for (const [text, words = ""] of used) {
    const isKnown = names.has(words) || names.has(words.split(" ")[0] ?? "");
    expect([text, isKnown]).toEqual([text, true]);
  }
});

describe("the examples", () => {
  test("the unit allows more than the grace period to stop, and its limits are consistent", () => {
    const value = (name: string) => new RegExp(`^${name}=(\\d+)M?$`, "m").exec(unit)?.[1];
    const graceS = Number(/GRACE_MS = (\d+)_000/.exec(read("src/commands/serve.ts"))?.[1]);
    expect(graceS).toBe(30);
    expect(Number(value("TimeoutStopSec"))).toBeGreaterThan(graceS + 10);
    // LimitDATA counts address space, about twice the memory in use; it has to be reached first.
    expect(Number(value("LimitDATA")) / 2).toBeLessThan(Number(value("MemoryMax")));
    expect(Number(value("MemoryHigh"))).toBeLessThan(Number(value("MemoryMax")));
    expect(unit).toContain("OOMPolicy=continue");
    // The runtime compiles to machine code.
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes/m);
  });

  test("the container runs an existing command as an unprivileged user, with a health check", () => {
    expect(containerfile).toMatch(/^USER \d+:\d+$/m);
    expect(containerfile).toContain('CMD ["serve"]');
    expect(containerfile).toContain('CMD ["quern", "status"]');
  });

  test("proxies accept the largest upload, and close idle connections before the server does", () => {
    const { maxUpload, clientTimeoutS } = readConfig({}, {});
    // The runtime closes them up to 4 s early.
    const silenceS = idleTimeoutS(clientTimeoutS) - 4;
    for (const [path, largest, idle] of [
      ["docs/deploy/nginx.conf", /client_max_body_size (\d+)m;/, /keepalive_timeout (\d+)s;/],
      ["docs/deploy/Caddyfile", /max_size (\d+)MB/, /keepalive (\d+)s/],
    ] as const) {
      const text = read(path);
      expect(Number(largest.exec(text)?.[1]) * 1024 ** 2).toBeGreaterThan(maxUpload);
      expect(Number(idle.exec(text)?.[1])).toBeLessThan(silenceS);
      expect(text).toContain("/metrics");
    }
  });
});

/** Returns the problems that a program reports, or an empty string. */
async function complaints(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [status, out, err] = [
    await child.exited,
    await new Response(child.stdout).text(),
    await new Response(child.stderr).text(),
  ];
  return status === 0 ? err.trim() : `${status}: ${out}${err}`;
}

const has = (program: string): boolean => Bun.which(program) !== null;

describe("installed programs accept", () => {
  test.skipIf(!has("systemd-analyze"))("the unit", async () => {
    using folder = disposableFolder();
    const path = join(folder.path, "quern.service");
    // It checks that the executable exists.
    await Bun.write(path, unit.replace(/^ExecStart=.*$/m, "ExecStart=/bin/true"));
    expect(await complaints("systemd-analyze", "verify", "--man=no", path)).toBe("");
  });

  test.skipIf(!has("nginx") || !has("openssl"))("the configuration of nginx", async () => {
    using folder = disposableFolder();
    const { path } = folder;
    const [key, certificate] = [join(path, "privkey.pem"), join(path, "fullchain.pem")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=example.org"];
    await Bun.spawn(["openssl", ...request, "-keyout", key, "-out", certificate], { stderr: "ignore" }).exited;
    let sockets = 0;
    const config = read("docs/deploy/nginx.conf")
      .replaceAll("/etc/ssl/quern", path)
      // Ports below 1024 require privileges, and may be in use.
      .replaceAll(/listen (?:\[::\]:)?\d+/g, () => `listen unix:${path}/${sockets++}`);
    await Bun.write(join(path, "quern.conf"), config);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${path}/${name};`,
    );
    const whole = `pid ${path}/pid; error_log stderr; events {} http { access_log off; ${places.join(" ")} include ${path}/quern.conf; }`;
    await Bun.write(join(path, "nginx.conf"), whole);
    const said = await complaints("nginx", "-q", "-t", "-p", path, "-c", join(path, "nginx.conf"));
    // Newer versions warn that the http2 syntax is deprecated.
    expect(said.split("\n").filter((line) => line !== "" && !line.includes("[warn]"))).toEqual([]);
  });

  test.skipIf(!has("caddy"))("the configuration of Caddy", async () => {
    using folder = disposableFolder();
    const path = join(folder.path, "Caddyfile");
    // The module for a provider's DNS requires a custom build of Caddy.
    await Bun.write(path, read("docs/deploy/Caddyfile").replace(/\ttls \{[^}]*\{[^}]*\}[^}]*\}/, "\ttls internal"));
    const said = await complaints("caddy", "validate", "--config", path, "--adapter", "caddyfile");
    expect(said.split("\n").filter((line) => line.includes('"level":"error"') || /^\d+: /.test(line))).toEqual([]);
  });
});

function disposableFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "quern-docs-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
