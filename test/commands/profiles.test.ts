import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { profilesPath } from "../../src/commands/client/profile-file.ts";
import { run } from "../../src/commands/run.ts";
import type { TestApp } from "../helpers/app.ts";
import { type ListeningApp, listeningApp } from "../helpers/listening-app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

type Environment = Record<string, string>;

let server: TestApp;
let listening: ListeningApp;
let other: ReturnType<typeof Bun.serve>;
let address: string;
/** A server that records the keys that it gets, and redirects. */
let otherAddress: string;
let uuid: string;
const received: (string | null)[] = [];

beforeAll(async () => {
  listening = await listeningApp();
  ({ server, address } = listening);
  other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      received.push(request.headers.get("Authorization"));
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/types.d.ts")) return Response.redirect(`${address}${pathname}`, 302);
      if (pathname.startsWith("/o/html")) return new Response("<p>Welcome</p>");
      return Response.json({ user: { email: "somebody@example.com" } });
    },
  });
  otherAddress = `http://127.0.0.1:${other.port}`;
  ({ uuid } = await createSharedFixture(server));
});
afterAll(async () => {
  await listening[Symbol.asyncDispose]();
  await other.stop(true);
});

const newHome = (): Environment => ({ XDG_CONFIG_HOME: tempFolder() });

async function quern(env: Environment, args: readonly string[], stdin = "") {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await run({
    args,
    env,
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

/** Returns the environment of a user with these profiles; the first one is the default. */
function homeWith(profiles: Record<string, { url: string; key: string }>): Environment {
  const env = newHome();
  const path = profilesPath(env);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ default: Object.keys(profiles)[0] ?? null, profiles }), { mode: 0o600 });
  return env;
}

describe("quern login", () => {
  test("keeps a key that the server accepts, where only the user can read it", async () => {
    const env = newHome();
    const name = new URL(address).host.replace(":", "-");
    expect(await quern(env, ["login", address], `${server.keys.owner}\n`)).toEqual({
      status: 0,
      out: `Logged in to ${address} as olga@example.com (profile ${name})`,
      err: "",
    });
    const path = profilesPath(env);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      default: name,
      profiles: { [name]: { url: address, key: server.keys.owner } },
    });
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect((await quern(env, ["types", uuid])).out).toContain("Table1: {");
  });

  test("replaces the profile of the same name, and adds others, of which one is the default", async () => {
    const env = newHome();
    const login = (as: "owner" | "editor", ...args: string[]) =>
      quern({ ...env, QUERN_API_KEY: server.keys[as] }, ["login", `${address}/o/docs/docs/${uuid}`, ...args]);
    for (const args of [
      ["--name", "a"],
      ["--name", "b"],
      ["--name", "b"],
    ]) {
      expect((await login("owner", ...args)).status).toBe(0);
    }
    const listed = () => quern(env, ["profiles"]).then(({ out }) => out.split("\n"));
    expect(await listed()).toEqual([`*\ta\t${address}/o/docs`, ` \tb\t${address}/o/docs`]);
    expect((await login("editor", "--name", "c", "--default")).out).toContain("as Emil@example.com (profile c)");
    expect(await listed()).toEqual([` \ta\t${address}/o/docs`, ` \tb\t${address}/o/docs`, `*\tc\t${address}/o/docs`]);
    expect((await quern(env, ["profiles", "--default", "b", "--json"])).out).toBe(
      JSON.stringify(["a", "b", "c"].map((name) => ({ name, url: `${address}/o/docs`, default: name === "b" }))),
    );
    const logout = async (...args: string[]) => (await quern(env, ["logout", ...args])).out;
    expect(await logout()).toBe("Removed profile b; its API key stays valid until it is revoked");
    expect(await listed()).toEqual([` \ta\t${address}/o/docs`, ` \tc\t${address}/o/docs`]);
    expect((await quern(env, ["types", uuid])).err).toBe(
      "quern types: No default profile: name one with --profile (a, c)",
    );
    expect(await logout("a")).toContain("The default profile is now c");
    expect(await logout("--all")).toBe("Removed 1 profile");
    expect(await quern(env, ["profiles"])).toEqual({
      status: 0,
      out: "",
      err: "No profiles: quern login URL adds one",
    });
  });

  test.each<[name: string, status: number, args: () => string[], key: () => string, error: RegExp]>([
    ["a wrong key", 1, () => [address], () => "0".repeat(40), /API key/i],
    ["no key", 2, () => [address], () => "", /^quern login: stdin contains no API key$/],
    ["a key of several words", 2, () => [address], () => "secret word", /something other than an API key$/],
    ["a key with a control character", 2, () => [address], () => "secret\u0007", /something other than an API key$/],
    [
      "a server that does not answer",
      3,
      () => ["http://127.0.0.1:1"],
      () => "k",
      /does not answer: connection refused$/,
    ],
    ["a server of something else", 1, () => [`${otherAddress}/o/html`], () => "k", /it is not a Quern server$/],
    ["a name without a scheme", 2, () => ["example.com"], () => "k", /is not the URL of a server/],
    ["a password in the URL", 2, () => ["http://ada:secret@127.0.0.1"], () => "k", /must not contain a password$/],
    ["a name with a slash", 2, () => [address, "--name", "a/b"], () => "k", /^quern login: --name must have/],
  ])("refuses %s", async (_, status, args, key, error) => {
    const env = newHome();
    const ran = await quern(env, ["login", ...args()], key());
    expect([ran.status, ran.out]).toEqual([status, ""]);
    expect(ran.err).toMatch(error);
    expect(ran.err).not.toContain("secret");
    expect((await quern(env, ["profiles"])).out).toBe("");
  });

  test("reads the key from a file that other users cannot change", async () => {
    const file = join(tempFolder(), "key");
    writeFileSync(file, `${server.keys.owner}\n`, { mode: 0o644 });
    const args = ["login", address, "--key-file", file];
    expect(await quern(newHome(), args)).toMatchObject({ status: 0, err: "" });
    chmodSync(file, 0o666);
    expect(await quern(newHome(), args)).toMatchObject({
      status: 1,
      err: `quern login: Other users can change ${file}; run: chmod 600 ${file}`,
    });
  });
});

describe("the file of profiles", () => {
  test.each<[where: string, env: Environment, platform: NodeJS.Platform, path: string]>([
    ["XDG_CONFIG_HOME", { HOME: "/h", XDG_CONFIG_HOME: "/x" }, "linux", "/x/quern/profiles.json"],
    ["~/.config", { HOME: "/h" }, "darwin", "/h/.config/quern/profiles.json"],
    ["~/.config, for a relative path", { HOME: "/h", XDG_CONFIG_HOME: "x" }, "linux", "/h/.config/quern/profiles.json"],
    ["APPDATA", { HOME: "/h", APPDATA: "/a" }, "win32", "/a/quern/profiles.json"],
  ])("is in %s", (_, env, platform, path) => expect(profilesPath(env, platform)).toBe(path));

  test.each<[name: string, mode: number, text: string, error: RegExp]>([
    ["others can change", 0o622, "{}", /^quern profiles: Other users can change .*profiles\.json; run: chmod 600 /],
    ["the group can change", 0o620, "{}", /Other users can change/],
    ["others can read", 0o604, "{}", /Other users can read .*; run: chmod 600 /],
    ["is no JSON", 0o600, "{", /profiles\.json is damaged; delete it and run quern login again$/],
    ["has no keys", 0o600, '{"profiles": {"a": {"url": "https://a"}}}', /is damaged/],
  ])("is refused if it %s", async (_, mode, text, error) => {
    const env = newHome();
    const path = profilesPath(env);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    for (const args of [["profiles"], ["logout"], ["types", uuid]]) {
      const { status, out, err } = await quern(env, args);
      expect([status, out]).toEqual([1, ""]);
      expect(err.replace(/^quern \w+/, "quern profiles")).toMatch(error);
    }
    expect(await quern(env, ["login", address], server.keys.owner)).toMatchObject({ status: 1 });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("can be a symbolic link", async () => {
    const env = newHome();
    const target = join(tempFolder(), "kept.json");
    writeFileSync(target, '{"profiles": {}}', { mode: 0o600 });
    mkdirSync(dirname(profilesPath(env)));
    symlinkSync(target, profilesPath(env));
    expect(await quern(env, ["login", address], server.keys.owner)).toMatchObject({ status: 0 });
    expect(readFileSync(target, "utf8")).toContain(server.keys.owner);
  });
});

/** Which key a command uses: the server of `here` accepts the owner's; all others are wrong. */
describe("the server and the key come from", () => {
  const right = () => ({ url: address, key: server.keys.owner });
  const wrong = () => ({ url: address, key: "f".repeat(40) });
  const elsewhere = () => ({ url: "http://127.0.0.1:1", key: "f".repeat(40) });
  const variables = () => ({ QUERN_URL: address, QUERN_API_KEY: server.keys.owner });
  const page = () => `${address}/docs/${uuid}`;
  const keyFile = () => {
    const path = join(tempFolder(), "key");
    writeFileSync(path, server.keys.owner);
    return path;
  };

  test.each<[name: string, env: () => Environment, args: () => string[]]>([
    ["the default profile", () => homeWith({ a: right(), b: wrong() }), () => [uuid]],
    ["--profile", () => homeWith({ a: elsewhere(), b: right() }), () => [uuid, "--profile", "b"]],
    [
      "--profile, before the environment",
      () => ({ ...homeWith({ a: right() }), QUERN_URL: elsewhere().url, QUERN_API_KEY: "x" }),
      () => [uuid, "--profile", "a"],
    ],
    ["QUERN_PROFILE", () => ({ ...homeWith({ a: elsewhere(), b: right() }), QUERN_PROFILE: "b" }), () => [uuid]],
    [
      "the environment, before profiles",
      () => ({ ...homeWith({ a: wrong() }), ...variables(), QUERN_PROFILE: "a" }),
      () => [uuid],
    ],
    ["the environment, with an address", () => ({ ...newHome(), QUERN_API_KEY: server.keys.owner }), () => [page()]],
    [
      "options, before the environment",
      () => ({ ...newHome(), QUERN_URL: elsewhere().url, QUERN_API_KEY: "x" }),
      () => [uuid, "--url", address, "--key-file", keyFile()],
    ],
    [
      "the profile of the server of --url",
      () => homeWith({ a: elsewhere(), b: right() }),
      () => [uuid, "--url", address],
    ],
    [
      "the profile of the server of QUERN_URL",
      () => ({ ...homeWith({ a: elsewhere(), b: right() }), QUERN_URL: address }),
      () => [uuid],
    ],
    ["the profile of the server of an address", () => homeWith({ a: elsewhere(), b: right() }), () => [page()]],
    [
      "that profile, if the environment is of another server",
      () => ({ ...homeWith({ a: right() }), QUERN_URL: elsewhere().url, QUERN_API_KEY: "x" }),
      () => [page()],
    ],
    ["the default one of several profiles of a server", () => homeWith({ a: right(), b: wrong() }), () => [page()]],
    [
      "the chosen one of several profiles of a server",
      () => homeWith({ a: wrong(), b: right() }),
      () => [page(), "--profile", "b"],
    ],
    ["a name that only one document has", () => homeWith({ a: right() }), () => ["Paper"]],
    ["a name in lower case", () => homeWith({ a: right() }), () => ["paper"]],
    [
      "an address in a site",
      () => homeWith({ a: right() }),
      () => [`${address}/o/docs/docs/${uuid}/tables/Table1?x=1#y`],
    ],
    ["an address of the API", () => homeWith({ a: right() }), () => [`${address}/api/docs/${uuid}/tables`]],
    ["an address on the established server", () => homeWith({ a: right() }), () => [`${address}/doc/${uuid}/p/3`]],
  ])("%s", async (_, env, args) => {
    expect(await quern(env(), ["types", ...args()])).toMatchObject({ status: 0, err: "" });
  });

  test.each<[name: string, status: number, env: () => Environment, args: () => string[], error: RegExp]>([
    [
      "no server",
      2,
      newHome,
      () => [uuid],
      /No server: run quern login URL first, or set QUERN_URL and QUERN_API_KEY$/,
    ],
    [
      "an unknown profile",
      2,
      () => homeWith({ a: right() }),
      () => [uuid, "--profile", "b"],
      /Profile not found: b\. Profiles: a$/,
    ],
    [
      "an unknown QUERN_PROFILE",
      2,
      () => ({ ...newHome(), QUERN_PROFILE: "b" }),
      () => [uuid],
      /Profile not found: b\. Profiles: none/,
    ],
    [
      "a profile of another server",
      2,
      () => homeWith({ a: elsewhere() }),
      () => [page(), "--profile", "a"],
      /The key of profile a is for http:\/\/127\.0\.0\.1:1: it is not sent to http/,
    ],
    [
      "--profile with --url",
      2,
      () => homeWith({ a: right() }),
      () => [uuid, "--profile", "a", "--url", address],
      /cannot be combined/,
    ],
    ["--url with another address", 2, newHome, () => [page(), "--url", "http://127.0.0.1:1"], /but the document is on/],
    ["--key-file alone", 2, newHome, () => [uuid, "--key-file", keyFile()], /--key-file needs --url$/],
    [
      "several profiles of a server, none the default",
      2,
      () => homeWith({ a: elsewhere(), b: right(), c: wrong() }),
      () => [page()],
      /Several profiles are of .* --profile \(b, c\)$/,
    ],
    ["no key", 1, newHome, () => [page()], /\(no API key for http.*: quern login http/],
    [
      "a wrong key of a profile",
      1,
      () => homeWith({ a: wrong() }),
      () => [uuid],
      /\(API key of profile a: quern login http/,
    ],
    [
      "an unknown name",
      1,
      () => homeWith({ a: right() }),
      () => ["Pape"],
      /Document not found: Pape; did you mean:\n {2}[-0-9a-f]{36} {2}Paper {2}\(.*\)$/,
    ],
    ["a name unlike any", 1, () => homeWith({ a: right() }), () => ["\u001b[2J"], /Document not found: \\e\[2J$/],
  ])("nowhere, with %s", async (_, status, env, args, error) => {
    const ran = await quern(env(), ["types", ...args()]);
    expect([ran.status, ran.out]).toEqual([status, ""]);
    expect(ran.err).toMatch(error);
    expect(ran.err).not.toMatch(/[0-9a-f]{40}/);
  });

  test("nowhere, with a name that several documents have: their ids", async () => {
    const workspace = await server.must<number>("POST", "/o/docs/api/orgs/current/workspaces", { name: "Shelf" });
    const ids: string[] = [];
    for (const name of ["Same", "Same", "same"])
      ids.push(await server.must<string>("POST", `/o/docs/api/workspaces/${workspace}/docs`, { name }));
    const { status, err } = await quern(homeWith({ a: right() }), ["types", "Same"]);
    const [head, ...lines] = err.split("\n");
    expect([status, head]).toEqual([1, "quern types: 2 documents have the name Same; use an id:"]);
    expect(lines.map((line) => /^ {2}(\S+) {2}Same {2}\(.*Shelf\)$/.exec(line)?.[1] ?? line).toSorted()).toEqual(
      ids.slice(0, 2).toSorted(),
    );
  });
});

describe("a key is sent only to its server", () => {
  test("not to the target of a redirect", async () => {
    received.length = 0;
    const env = homeWith({ a: { url: otherAddress, key: "k".repeat(40) } });
    const { status, err } = await quern(env, ["types", uuid]);
    expect([status, err]).toEqual([
      1,
      `quern types: ${otherAddress} redirects to ${address}, to which the API key is not sent; use the URL of the server itself`,
    ]);
    expect(received).toEqual([`Bearer ${"k".repeat(40)}`]);
  });

  test("not to the server of another address", async () => {
    received.length = 0;
    const env = {
      ...homeWith({ a: { url: address, key: server.keys.owner } }),
      QUERN_URL: address,
      QUERN_API_KEY: server.keys.owner,
    };
    await quern(env, ["types", `${otherAddress}/docs/${uuid}`]);
    await quern(env, ["types", uuid, "--url", otherAddress]);
    expect(received).toEqual([null, null]);
  });
});
