import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsPage } from "../../scripts/docs.ts";
import { commandsPage } from "../../scripts/docs/commands-page.ts";
import { settingsPage } from "../../scripts/docs/settings-page.ts";
import { errorsPage } from "../../scripts/docs/errors-page.ts";
import { keysPage } from "../../scripts/docs/keys-page.ts";
import { COMMANDS, optionsOf, run } from "../../src/commands/run.ts";
import { MIGRATIONS } from "../../src/home/migrations/index.ts";
import { settingList } from "../../src/config.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "quern-commands-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  status: number;
  out: string;
  err: string;
}

async function quern(
  args: string[],
  { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await run({
    args,
    env: { QUERN_DATA: folder, ...env },
    stdin: () => Promise.resolve(stdin),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return { status, out: out.join("\n"), err: err.join("\n") };
}

const json = async (...args: string[]): Promise<unknown> => JSON.parse((await quern([...args, "--json"])).out);

describe("users, keys and sites on the command line", () => {
  test("a user is added, listed and disabled", async () => {
    const added = await quern(["user", "add", "--email", "Ada@Example.com", "--name", "Ada", "--admin"]);
    expect(added).toEqual({
      status: 0,
      out:
        "Added user Ada@Example.com\n" +
        "No password yet: quern user reset --email Ada@Example.com prints a link for setting one",
      err: "",
    });
    await quern(["user", "add", "--email", "bob@example.com", "--name", "Bob", "--password-stdin"], {
      stdin: "long enough\n",
    });
    expect(await json("user", "list")).toMatchObject([
      { email: "Ada@Example.com", name: "Ada", isAdmin: true, disabledAt: null },
      { email: "bob@example.com", name: "Bob", isAdmin: false, disabledAt: null },
    ]);
    expect((await quern(["user", "disable", "--email", "BOB@example.com"])).status).toBe(0);
    expect((await quern(["user", "list"])).out).toContain("disabled");
  });

  test("creates groups for the groups claim of a provider, and lists them", async () => {
    const create = (...args: string[]) => quern(["group", "create", ...args]);
    expect(await create("--name", "Sales", "--managed-by", "MY_IDP", "--external-id", "4f1d")).toMatchObject({
      status: 0,
      out: "Created group Sales",
    });
    expect((await create("--name", "Board")).status).toBe(0);
    for (const wrong of [
      ["--name", "Sales"],
      ["--name", " "],
      ["--name", "x".repeat(201)],
      ["--name", "A", "--managed-by", "a b"],
    ]) {
      expect(await create(...wrong)).toMatchObject({ status: 1, out: "" });
    }
    expect(await json("group", "list")).toMatchObject([
      { name: "Sales", managedBy: "my-idp", externalId: "4f1d", members: 0 },
      { name: "Board", managedBy: null, externalId: null, members: 0 },
    ]);
  });

  test("prints a link that signs a user in, also without passwords", async () => {
    const args = ["user", "sign-in-link", "--email", "Ada@example.com"];
    const env = { QUERN_PASSWORDS: "off", QUERN_PUBLIC_URL: "https://quern.example.org" };
    const { status, out } = await quern(args, { env });
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^https:\/\/quern\.example\.org\/sign-in\/link\?token=[0-9a-f]{64}$/),
    ]);
    expect(await quern(["user", "reset", "--email", "ada@example.com"], { env })).toMatchObject({ status: 1, out: "" });
    expect(await quern(["user", "sign-in-link", "--email", "nobody@example.com"])).toMatchObject({ status: 1 });
  });

  test("prints a password reset link", async () => {
    const { out, status } = await quern(["user", "reset", "--email", "BOB@example.com"]);
    expect([status, out]).toEqual([1, ""]);
    await quern(["user", "add", "--email", "cleo@example.com", "--name", "Cleo"]);
    const cleo = ["--email", "cleo@example.com"];
    expect((await quern(["user", "reset", ...cleo])).out).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/reset-password\?token=[0-9a-f]{64}$/,
    );
    expect(await json("user", "reset", ...cleo, "--public-url", "https://quern.example.com/")).toEqual({
      email: "cleo@example.com",
      link: expect.stringMatching(/^https:\/\/quern\.example\.com\/reset-password\?token=[0-9a-f]{64}$/),
      expiresAt: expect.any(String),
    });
    expect((await quern(["user", "reset", "--email", "nobody@example.com"])).err).toContain("user not found");
    expect((await quern(["user", "disable", ...cleo])).status).toBe(0);
  });

  test("the same address twice, a wrong address, a poor password: one line each", async () => {
    for (const args of [
      ["--email", "ada@example.com", "--name", "Again"],
      ["--email", "nobody", "--name", "X"],
      ["--email", "x@example.com", "--name", " "],
    ]) {
      const { status, err, out } = await quern(["user", "add", ...args]);
      expect({ args, status, out }).toEqual({ args, status: 1, out: "" });
      expect(err.split("\n")).toHaveLength(1);
    }
    const short = await quern(["user", "add", "--email", "y@example.com", "--name", "Y", "--password-stdin"], {
      stdin: "abc",
    });
    expect(short.status).toBe(1);
    expect(await json("user", "list")).toHaveLength(3);
  });

  test("a key is created once, replaced by force, listed by its prefix, revoked", async () => {
    const user = ["--email", "ada@example.com"];
    const first = (await quern(["key", "create", ...user])).out;
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    expect(await quern(["key", "create", ...user])).toEqual({
      status: 1,
      out: "",
      err: "quern key create: the user already has a profile key: --force replaces it, --label L creates another key",
    });
    const second = (await quern(["key", "create", ...user, "--force"])).out;
    expect(second).not.toBe(first);
    await quern(["key", "create", ...user, "--label", "backup job"]);
    expect(await json("key", "list", ...user)).toMatchObject([
      { prefix: second.slice(0, 6), label: null, lastUsedAt: null },
      { label: "backup job" },
    ]);
    expect((await quern(["key", "list", ...user])).out).not.toContain(second);
    expect((await quern(["key", "revoke", ...user, "--prefix", second.slice(0, 6)])).status).toBe(0);
    expect((await quern(["key", "revoke", ...user, "--label", "backup job"])).status).toBe(0);
    expect(await json("key", "list", ...user)).toEqual([]);
    expect((await quern(["key", "revoke", ...user])).status).toBe(1);
  });

  test("a site is created once", async () => {
    const args = ["org", "create", "--domain", "team", "--name", "Team", "--owner", "ada@example.com"];
    expect((await quern(args)).status).toBe(0);
    expect((await quern(args)).status).toBe(1);
    expect(
      (await quern(["org", "create", "--domain", "A B", "--name", "x", "--owner", "ada@example.com"])).status,
    ).toBe(1);
    expect(
      (await quern(["org", "create", "--domain", "other", "--name", "x", "--owner", "who@example.com"])).status,
    ).toBe(1);
  });

  test("a file that is not a document is refused and leaves no traces", async () => {
    const file = join(folder, "notes.grist");
    writeFileSync(file, "not a database");
    const before = readdirSync(join(folder, "docs"));
    const place = ["--org", "team", "--workspace", "Home", "--as", "ada@example.com"];
    const refused = await quern(["doc", "import", ...place, file]);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(/^quern doc import: /);
    expect((await quern(["doc", "import", ...place, join(folder, "missing.grist")])).status).toBe(1);
    expect((await quern(["doc", "check", file])).status).toBe(1);
    expect(readdirSync(join(folder, "docs"))).toEqual(before);
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  });
});

test("files with tables become documents", async () => {
  const place = ["--org", "team", "--workspace", "Home", "--as", "ada@example.com"];
  const files: [name: string, content: string][] = [
    ["sorts of tea.csv", "Name;Price\nAssam;4.5\nMint;3\n"],
    ["tea.json", '[{"Name": "Assam"}, {"Name": "Mint"}]'],
  ];
  for (const [name, content] of files) {
    writeFileSync(join(folder, name), content);
    const { status, out } = await quern(["doc", "import", ...place, "--json", join(folder, name)]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: name.replace(/\.\w+$/, ""), tables: 1, rows: 2 });
  }
  const { out } = await quern([
    "doc",
    "import",
    ...place,
    "--json",
    "--locale",
    "de",
    join(folder, "sorts of tea.csv"),
  ]);
  // The numbers of the file imply a decimal point, but the given locale takes precedence.
  expect(JSON.parse(out)).toMatchObject({ locale: "de-DE", decimal: "." });
});

test("--version prints the version, which is the first line of quern version", async () => {
  const { out: details } = await quern(["version"]);
  const [out = "", ...lines] = details.split("\n");
  expect((await quern(["--version"])).out.trimEnd()).toBe(out);
  expect(lines.join("\n")).toMatch(
    /^build +\S+\nbun +1\.\S+, .*\napi +\S+\nhome database +version \d+\ndocuments +version \d+\.\d+/,
  );
  const { out: json } = await quern(["version", "--json"]);
  expect(JSON.parse(json)).toMatchObject({
    version: out,
    bun: Bun.version,
    home: MIGRATIONS.length,
    documents: { storage: 9, schema: 46 },
  });
});

test("commands other than `user add` create no data folder: the folder was probably mistyped", async () => {
  const data = join(folder, "mistyped");
  for (const args of [
    ["user", "list"],
    ["key", "create", "--email", "ada@example.com"],
  ]) {
    const { status, err } = await quern(args, { env: { QUERN_DATA: data } });
    expect(status).toBe(1);
    expect(err).toEndWith(`no data in the folder ${data}; name another one with --data or QUERN_DATA`);
  }
  expect(existsSync(data)).toBe(false);
});

test("the help of a group of commands lists these only", async () => {
  const { status, out } = await quern(["schema", "--help"]);
  expect(status).toBe(0);
  expect(out.match(/quern \w+ \w+/g)).toEqual(["quern schema pull", "quern schema diff", "quern schema apply"]);
});

describe("usage errors", () => {
  const cases: [args: string[], says: RegExp][] = [
    [["mill"], /unknown command/],
    [["user"], /unknown command/],
    [["user", "add", "--name", "X"], /--email E is missing/],
    [["user", "list", "--loud"], /^quern user list: unknown option --loud; try quern user list --help$/],
    [["doc", "check"], /FILE is missing/],
    [["doc", "check", "a", "b"], /unexpected argument/],
    [["serve", "--port", "many"], /--port must be/],
    [["version", "extra"], /unexpected argument/],
  ];
  test.each(cases)("%p", async (args, says) => {
    const { status, out, err } = await quern(args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(says);
    expect(err.split("\n")).toHaveLength(1);
  });

  test("an invalid variable prevents the start and is named", async () => {
    const { status, err } = await quern(["serve"], { env: { QUERN_MAX_BODY: "huge" } });
    expect(status).toBe(2);
    expect(err).toMatch(/QUERN_MAX_BODY must be a size/);
  });
});

describe("help and documentation", () => {
  test("help lists every command, and each command its options", async () => {
    const { out } = await quern(["--help"]);
    for (const { name } of COMMANDS) expect(out).toContain(`quern ${name}`);
    for (const command of COMMANDS) {
      const help = (await quern([...command.name.split(" "), "--help"])).out;
      for (const option of optionsOf(command)) expect(help).toContain(`--${option.name}`);
    }
  });

  test("help of serve lists every setting with its default and variable", async () => {
    const { out } = await quern(["serve", "--help"]);
    for (const { flag, env, fallback } of settingList()) {
      expect(out).toContain(`--${flag} `);
      expect(out).toContain(`Default ${fallback}, or ${env}.`);
    }
  });

  test("the documentation pages are up to date; `bun scripts/docs.ts` generates them", async () => {
    const page = (name: string) => Bun.file(new URL(`../../docs/${name}`, import.meta.url)).text();
    expect(await page("settings.md")).toBe(settingsPage());
    expect(await page("command-line.md")).toBe(commandsPage());
    expect(await page("errors.md")).toBe(errorsPage());
    expect(await page("api-keys.md")).toBe(keysPage());
    expect(await page("metrics.md")).toBe(metricsPage());
  });
});
