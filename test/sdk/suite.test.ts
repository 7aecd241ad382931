/** Runs the suite of the client in all of its runtimes, against the executable. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PageServer, startPageServer } from "../docs/examples/page-server.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { CHROMIUM, inBrowser, sharedBrowser } from "../web/browser.ts";
import { builtSdk } from "./built-sdk.ts";
import type { SuiteOptions, SuiteResult } from "./suite-checks.ts";

/** The suite and the client, as one module. */
let code: string;
let pages: ReturnType<typeof Bun.serve>;
let server: PageServer;
let options: SuiteOptions;

beforeAll(async () => {
  const { folder, compressedBytes } = await builtSdk();
  console.log(`The client has ${compressedBytes} bytes compressed.`);
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "suite.ts")],
    target: "browser",
    format: "esm",
    plugins: [
      {
        name: "client",
        setup: (build) => {
          build.onResolve({ filter: /^quern-client$/ }, () => ({ path: join(folder, "index.js") }));
        },
      },
    ],
  });
  code = (await built.outputs[0]?.text()) ?? "";
  pages = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // A restart may wait for transactions.
    idleTimeout: 60,
    async fetch({ url }) {
      switch (new URL(url).pathname) {
        case "/suite.js":
          return new Response(code, { headers: { "Content-Type": "text/javascript" } });
        case "/restart":
          await server.restart();
          return new Response(null, { status: 204 });
        default:
          return new Response("<!doctype html><title>Suite</title>", { headers: { "Content-Type": "text/html" } });
      }
    },
  });
  const settings = { QUERN_CORS_ORIGINS: `http://127.0.0.1:${pages.port}` };
  server = await startPageServer(join(tempFolder(), "data"), settings);
  const { QUERN: url, KEY: key, DOC: doc } = server.variables;
  options = { url, key, doc, control: `http://127.0.0.1:${pages.port}` };
}, 120_000);
afterAll(async () => {
  await pages.stop(true);
  await server.server[Symbol.asyncDispose]();
});

/** Not a package of the project: it would be larger than all others together. */
const DENO = process.env["QUERN_TEST_DENO"] ?? Bun.which("deno");

const RUNTIMES: readonly (readonly [name: string, command: readonly string[], isInstalled: boolean])[] = [
  ["Bun", [process.execPath], true],
  ["Node.js", ["node"], Bun.which("node") !== null],
  ["Deno", [DENO ?? "", "run", "--allow-net", "--allow-read"], DENO !== null],
];

describe("the suite passes in", () => {
  for (const [name, command, isInstalled] of RUNTIMES) {
    if (!isInstalled) console.log(`${name} is not installed: skipping the suite of the client there.`);
    test.skipIf(!isInstalled)(
      name,
      async () => {
        const folder = tempFolder();
        writeFileSync(join(folder, "suite.mjs"), code);
        const run = `import { runSuite } from "./suite.mjs";\nconsole.log(JSON.stringify(await runSuite(${JSON.stringify(options)})));\n`;
        writeFileSync(join(folder, "run.mjs"), run);
        const child = Bun.spawn([...command, join(folder, "run.mjs")], { stdout: "pipe", stderr: "pipe", cwd: folder });
        const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
        expectPassed(out === "" ? [["the suite runs", err]] : (JSON.parse(out) as SuiteResult[]));
      },
      120_000,
    );
  }

  test.skipIf(!CHROMIUM)(
    inBrowser("Chromium"),
    async () => {
      const context = await (await sharedBrowser()).newContext();
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${pages.port}/`);
      const results = await page.evaluate(async (given) => {
        const path = "/suite.js";
        const { runSuite } = (await import(path)) as { runSuite(options: unknown): Promise<unknown> };
        return runSuite(given);
      }, options);
      await context.close();
      expectPassed(results as SuiteResult[]);
    },
    120_000,
  );
});

function expectPassed(results: readonly SuiteResult[]): void {
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter(([, problem]) => problem !== null)).toEqual([]);
}
