/** The programs of the guide that run nowhere else: its page in a browser, and what the compiler says about its TypeScript. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../src/sdk/index.ts";
import { blocksOf } from "../docs/examples/blocks.ts";
import { type PageServer, startPageServer } from "../docs/examples/page-server.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { typeProblems } from "../helpers/type-check.ts";
import { CHROMIUM, inBrowser, sharedBrowser } from "../web/browser.ts";
import { builtSdk } from "./built-sdk.ts";

const ROOT = join(import.meta.dir, "../..");
const blocks = blocksOf("docs/sdk.md", readFileSync(join(ROOT, "docs/sdk.md"), "utf8"));
const fileOf = (name: string): string => blocks.find(({ attributes }) => attributes["file"] === name)?.text ?? "";

let server: PageServer;
let pages: ReturnType<typeof Bun.serve>;
/** The script of the guide's page. */
let script = "";
let folder: string;

beforeAll(async () => {
  folder = tempFolder();
  const { folder: client } = await builtSdk();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(client, join(folder, "node_modules/quern-client"));
  for (const name of ["react", "react-dom", "scheduler"])
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "page.tsx"), fileOf("page.tsx"));
  const built = await Bun.build({ entrypoints: [join(folder, "page.tsx")], target: "browser", minify: true });
  script = (await built.outputs[0]?.text()) ?? "";
  pages = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === "/page.js"
        ? new Response(script, { headers: { "Content-Type": "text/javascript" } })
        : new Response(
            '<!doctype html><title>Orders</title><div id="root"></div><script type="module" src="/page.js"></script>',
            {
              headers: { "Content-Type": "text/html" },
            },
          ),
  });
  server = await startPageServer(join(tempFolder(), "data"), { QUERN_CORS_ORIGINS: `http://127.0.0.1:${pages.port}` });
}, 120_000);
afterAll(async () => {
  await pages.stop(true);
  await server.server[Symbol.asyncDispose]();
});

test("the TypeScript of the guide has no mistakes", async () => {
  const { QUERN, KEY, DOC } = server.variables;
  const types = await fetch(`${QUERN}/api/docs/${DOC}/types.d.ts`, { headers: { Authorization: `Bearer ${KEY}` } });
  const { folder: client } = await builtSdk();
  const files = {
    "schema.d.ts": await types.text(),
    "first.ts": fileOf("first.ts"),
    "receiver.ts": fileOf("receiver.ts"),
    "process.d.ts": "declare const process: { env: Record<string, string | undefined> };",
  };
  const compilerOptions = { moduleDetection: "auto", paths: { "quern-client": [`${client}/index.d.ts`] } };
  expect(await typeProblems(files, { compilerOptions })).toEqual([]);
}, 60_000);

describe("the guide's page", () => {
  test.skipIf(!CHROMIUM)(
    inBrowser("shows open orders and ships them"),
    async () => {
      const { QUERN, KEY, DOC } = server.variables;
      const orders = createClient({ url: QUERN, key: KEY }).doc(DOC).table("Orders");
      const open = async () => (await orders.list({ filter: { Status: ["open"] } })).records.map(({ id }) => id);
      const before = await open();
      const context = await (await sharedBrowser()).newContext();
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${pages.port}/?server=${encodeURIComponent(QUERN)}&doc=${DOC}`);
      await page.getByLabel("API key").fill(KEY);
      await page.getByRole("button", { name: "Show open orders" }).click();
      await expectPoll(() => page.getByRole("listitem").count()).toBe(before.length);
      expect(await page.getByRole("listitem").first().innerText()).toContain("1 × Basket for Bob Stone");
      await page.getByRole("button", { name: `Ship order ${before[0]}`, exact: true }).click();
      await expectPoll(open).toEqual(before.slice(1));
      await expectPoll(() => page.getByRole("listitem").count()).toBe(before.length - 1);

      await page.reload();
      await page.getByLabel("API key").fill("0".repeat(40));
      await page.getByRole("button", { name: "Show open orders" }).click();
      await expectPoll(() => page.getByRole("alert").count()).toBe(1);
      await context.close();
    },
    120_000,
  );
});
