/** Files that are imported by their address. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { UserActor } from "../../../src/authorization.ts";
import { AppError } from "../../../src/errors.ts";
import type { Upload } from "../../../src/files/uploads.ts";
import { parseAllowedDestination } from "../../../src/lib/network/allowed-destinations.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemClock } from "../../../src/lib/time/clock.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { FileFetcher, type FileFetcherOptions } from "../../../src/services/imports/file-fetcher.ts";
import { createAuthority, HAS_OPENSSL } from "../../helpers/certificates.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { DENIED_URLS, PRIVATE_ADDRESSES } from "../../webhooks/address-table.ts";

type Reply = (request: Request) => Response | Promise<Response>;

let reply: Reply;
interface Received {
  readonly url: string;
  readonly headers: Record<string, string>;
}
let requests: Received[] = [];
const serve = (fetch: Reply) => Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });
const server = serve((request) => {
  requests.push({ url: request.url, headers: Object.fromEntries(request.headers) });
  return reply(request);
});
/** A server that nothing may connect to. */
let internalConnections = 0;
const internal = Bun.listen({
  port: 0,
  hostname: "127.0.0.1",
  socket: {
    open(socket) {
      internalConnections++;
      socket.end();
    },
    data() {},
  },
});
afterAll(async () => {
  await server.stop(true);
  internal.stop(true);
});

const folder = tempFolder();
beforeEach(() => {
  requests = [];
  internalConnections = 0;
  reply = () => csv("a,b\n1,2\n");
});
// Whatever happens, no file remains.
afterEach(() => expect([readdirSync(folder), internalConnections]).toEqual([[], 0]));

const csv = (text: string, headers: Record<string, string> = {}) =>
  new Response(text, { headers: { "Content-Type": "text/csv; charset=utf-8", ...headers } });

const user = (userId: number): UserActor => ({ kind: "user", userId }) as UserActor;
const HOST = `files.example:${server.port}`;
const FAILURE_MS = 200;
/** Names of the test, and where they lead. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "files.example": ["127.0.0.1"],
  "docs.google.com": ["127.0.0.1"],
  "internal.example": ["127.0.0.1"],
  "half.example": ["1.1.1.1", "127.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "six.example": ["::ffff:10.0.0.1"],
  "empty.example": [],
};
const resolve = async (host: string) => {
  const addresses = NAMES[host];
  if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

const fetcherOf = (options: Partial<FileFetcherOptions> = {}) =>
  new FileFetcher({
    isOn: true,
    allowed: ["files.example", "docs.google.com"].map(parseAllowedDestination),
    clock: systemClock,
    timers: systemTimers,
    log: silentLog,
    resolve,
    failureMs: FAILURE_MS,
    ...options,
  });

interface FetchOptions extends Partial<FileFetcherOptions> {
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}
const fetching = (url: string, { maxBytes = 1000, signal, ...options }: FetchOptions = {}): Promise<Upload> =>
  fetcherOf(options).fetch(user(1), url, {
    limits: { folder, maxBytes },
    signal: signal ?? new AbortController().signal,
  });

/** Returns the name and content of a fetched file, and removes it. */
async function contentOf(url: string, options: FetchOptions = {}): Promise<[name: string, text: string]> {
  await using upload = await fetching(url, options);
  const [file] = upload.files;
  return [file?.name ?? "", readFileSync(file?.path ?? "", "utf8")];
}

async function refusalOf(url: string, options: FetchOptions = {}): Promise<[code: string, message: string]> {
  try {
    await using _ = await fetching(url, options);
  } catch (error) {
    if (error instanceof AppError) return [error.reason, error.message];
    throw error;
  }
  return ["none", ""];
}

test("fetches a file without cookies and credentials", async () => {
  expect(await contentOf(`http://${HOST}/data/people.csv?key=1`)).toEqual(["people.csv", "a,b\n1,2\n"]);
  expect(requests[0]?.headers).toEqual({
    host: HOST,
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": "Quern",
    connection: expect.any(String),
  });
});

describe("names the file", () => {
  const names: [path: string, headers: Record<string, string>, name: string][] = [
    ["/a%20b.csv", {}, "a b.csv"],
    ["/export", {}, "export.csv"],
    ["/", {}, "files.example.csv"],
    ["/download.php", { "Content-Type": "application/json" }, "download.php.json"],
    ["/x", { "Content-Disposition": 'attachment; filename="Two words.tsv"' }, "Two words.tsv"],
    ["/x", { "Content-Disposition": "attachment; filename=plain.csv; filename*=UTF-8''%C3%9Cbung.csv" }, "Übung.csv"],
    ["/x", { "Content-Disposition": 'attachment; filename="../../etc/passwd"' }, "passwd.csv"],
    ["/..%2f..%2fetc%2fcron.csv", {}, "cron.csv"],
    ["/x", { "Content-Disposition": "attachment; filename*=UTF-8''%00a%E2%80%AEb.csv" }, "ab.csv"],
    ["/%ff.csv", {}, "%ff.csv"],
  ];
  test.each(names)("of %s with %p: %s", async (path, headers, name) => {
    reply = () => csv("a\n1\n", headers);
    expect((await contentOf(`http://${HOST}${path}`))[0]).toBe(name);
  });
});

describe("is not fetched, without a connection", () => {
  test.each(DENIED_URLS)("%p", async (url) => {
    expect((await refusalOf(url))[0]).toBe("import.url_denied");
  });

  test.each(PRIVATE_ADDRESSES.filter((address) => /[.:]/.test(address) && !address.includes("%")))(
    "https://%s",
    async (address) => {
      const host = address.includes(":") ? `[${address}]` : address;
      expect((await refusalOf(`https://${host}:${internal.port}/`))[0]).toBe("import.url_denied");
    },
  );

  test("when imports by address are off", async () => {
    expect(await refusalOf(`http://${HOST}/`, { isOn: false })).toEqual(["import.url_off", expect.any(String)]);
    expect(requests).toEqual([]);
  });
});

describe("a redirect", () => {
  const redirect = (target: string, status = 302) => {
    reply = ({ url }) =>
      new URL(url).pathname === "/start"
        ? new Response("secret", { status, headers: { Location: target } })
        : csv("a\n1\n");
  };

  test.each([301, 302, 303, 307, 308])("with status %p is followed, and names the file", async (status) => {
    redirect("/other/b.csv", status);
    expect(await contentOf(`http://${HOST}/start`)).toEqual(["b.csv", "a\n1\n"]);
  });

  test("is followed five times", async () => {
    reply = ({ url }) => {
      const number = Number(new URL(url).pathname.slice(1));
      return number === 0 ? csv("a\n1\n") : Response.redirect(`/${number - 1}`, 302);
    };
    expect((await contentOf(`http://${HOST}/5`))[1]).toBe("a\n1\n");
    expect(await refusalOf(`http://${HOST}/6`)).toEqual(["import.url_failed", "The address redirects too often"]);
  });

  /** Headers have no other characters. */
  const isLatin1 = (url: string) => /^[\u0020-\u007e]*$/.test(url);
  const isElsewhere = (url: string) =>
    !URL.canParse(url, `http://${HOST}/`) || new URL(url, `http://${HOST}/`).host !== HOST;
  test.each(DENIED_URLS.filter((url) => isLatin1(url) && isElsewhere(url)))("to %p is refused", async (url) => {
    redirect(url);
    expect((await refusalOf(`http://${HOST}/start`))[0]).toMatch(/^import\.url_(denied|failed)$/);
    expect(requests).toHaveLength(1);
  });

  test.each([
    `http://127.0.0.1:${internal.port}/`,
    `https://127.0.0.1:${internal.port}/`,
    `http://internal.example:${internal.port}/`,
  ])("to %s is refused", async (url) => {
    redirect(url);
    expect(await refusalOf(`http://${HOST}/start`)).toEqual([
      "import.url_denied",
      expect.not.stringContaining("secret"),
    ]);
  });

  test.each(["internal", "half", "metadata", "six", "empty", "unknown"])(
    "to the name %s.example is refused",
    async (name) => {
      redirect(`https://${name}.example:${internal.port}/`);
      expect((await refusalOf(`http://${HOST}/start`))[0]).toBe("import.url_failed");
    },
  );
});

test("neither the error nor the time tells whether an internal name or host exists", async () => {
  const answers = new Set<string>();
  for (const name of ["internal", "half", "metadata", "six", "empty", "unknown"]) {
    const start = performance.now();
    answers.add(JSON.stringify(await refusalOf(`https://${name}.example:${internal.port}/`)));
    expect(performance.now() - start).toBeGreaterThan(FAILURE_MS - 5);
  }
  // A closed port of an allowed host.
  answers.add(JSON.stringify(await refusalOf("http://files.example:1/")));
  expect([...answers]).toEqual(['["import.url_failed","The address cannot be reached, or is not public"]']);
});

test("a name is resolved once: a second answer has no effect", async () => {
  let asked = 0;
  const rebinding = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
  expect((await contentOf(`http://${HOST}/a.csv`, { resolve: rebinding }))[1]).toBe("a,b\n1,2\n");
  expect(asked).toBe(1);
});

test.skipIf(!HAS_OPENSSL)("a host with a certificate that nobody vouches for is not trusted", async () => {
  const { cert, key } = createAuthority(tempFolder()).issue("server");
  let asked = 0;
  const secure = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: Bun.file(cert), key: Bun.file(key) },
    fetch: () => csv(`${asked++}`),
  });
  expect(await refusalOf(`https://files.example:${secure.port}/a.csv`)).toEqual([
    "import.url_failed",
    "The address cannot be reached, or is not public",
  ]);
  expect(asked).toBe(0);
  await secure.stop(true);
});

describe("a response", () => {
  test.each([
    ["text/html", "import.url_page"],
    ["TEXT/HTML; charset=utf-8", "import.url_page"],
    ["application/xhtml+xml", "import.url_page"],
  ])("of type %s is refused", async (type, code) => {
    reply = () => csv("<b>secret</b>", { "Content-Type": type });
    expect(await refusalOf(`http://${HOST}/a.csv`)).toEqual([code, expect.not.stringContaining("secret")]);
  });

  test.each([204, 304, 401, 404, 500])("with status %p is refused without its text", async (status) => {
    reply = () => new Response(status < 400 ? null : "secret", { status });
    expect(await refusalOf(`http://${HOST}/a.csv`)).toEqual([
      "import.url_failed",
      `The address answered with status ${status}`,
    ]);
  });

  const endless = () => new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(8192).fill(97)) });
  test("that is too large is aborted, with and without an announced size", async () => {
    reply = () => csv("a".repeat(1001));
    expect((await refusalOf(`http://${HOST}/`))[0]).toBe("limit.upload_size");
    reply = () => new Response(endless(), { headers: { "Content-Type": "text/csv" } });
    expect((await refusalOf(`http://${HOST}/`, { maxBytes: 1_000_000 }))[0]).toBe("limit.upload_size");
  });

  test("that does not end in time, or never begins, is aborted", async () => {
    const never = () => new Promise<Response>(() => {});
    const stalled = () =>
      new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("a,b\n")) }));
    for (const given of [never, stalled]) {
      reply = given;
      expect(await refusalOf(`http://${HOST}/a.csv`, { timeoutMs: 100 })).toEqual([
        "import.url_failed",
        "The file was not received within 0.1 seconds",
      ]);
    }
  });

  test("is aborted with the request", async () => {
    const controller = new AbortController();
    reply = () => {
      setTimeout(() => controller.abort(), 20);
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("a,b\n")) }));
    };
    expect((await refusalOf(`http://${HOST}/a.csv`, { signal: controller.signal }))[0]).toBe("server.unavailable");
  });

  test("of many megabytes arrives complete", async () => {
    const text = "0123456789abcdef".repeat(500_000);
    reply = () => csv(text);
    expect((await contentOf(`http://${HOST}/a.csv`, { maxBytes: 10_000_000 }))[1]).toBe(text);
  });
});

describe("a Google sheet", () => {
  const SHEET = `http://docs.google.com:${server.port}/spreadsheets/d/1AbCdEf-_012345678901234567890`;

  test.each(["/edit", "/edit?usp=sharing#gid=7", "/view", "", "/copy"])(
    "is fetched as a workbook from …%s",
    async (rest) => {
      reply = () => csv("PK", { "Content-Type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" });
      expect((await contentOf(SHEET + rest))[0]).toBe("export.xlsx");
      expect(requests.map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search)).toEqual([
        "/spreadsheets/d/1AbCdEf-_012345678901234567890/export?format=xlsx",
      ]);
    },
  );

  test.each(["/export?format=csv&gid=7", "/gviz/tq?tqx=out:csv"])("is fetched as it is from …%s", async (rest) => {
    await contentOf(SHEET + rest);
    expect(requests[0]?.url).toEndWith(rest);
  });

  test.each([
    Response.redirect("https://accounts.google.com/ServiceLogin?continue=x", 302),
    Response.redirect("https://accounts.google.com/v3/signin/identifier", 307),
    new Response("<html>", { headers: { "Content-Type": "text/html" } }),
  ])("that is not public is refused", async (given) => {
    reply = () => given;
    expect((await refusalOf(`${SHEET}/edit`))[0]).toBe("import.sheet_private");
    expect(requests).toHaveLength(1);
  });
});

test("at most two files of a user and four of all are fetched at once", async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  reply = () => promise.then(() => csv("a\n1\n"));
  const fetcher = fetcherOf();
  const options = { limits: { folder, maxBytes: 1000 }, signal: new AbortController().signal };
  const start = (userId: number) => fetcher.fetch(user(userId), `http://${HOST}/a.csv`, options);
  const running = [start(1), start(1), start(2), start(3)];
  const refused = { reason: "limit.url_imports", code: "tooMany", retryAfterS: 5 };
  expect(start(1)).rejects.toMatchObject(refused);
  expect(start(4)).rejects.toMatchObject(refused);
  answer();
  for (const upload of await Promise.all(running)) await upload[Symbol.asyncDispose]();
  await (await start(4))[Symbol.asyncDispose]();
});
