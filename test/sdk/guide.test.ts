/** The programs of the guide that run nowhere else: its page in a browser, and what the compiler says about its TypeScript. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
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

/** What the guide uses of React, whose package has no types. */
const REACT = `declare module "react" {
  export function useMemo<T>(create: () => T, dependencies: readonly unknown[]): T;
  export function useState<T>(initial: T): [T, (next: T) => void];
  export function useSyncExternalStore<T>(subscribe: (notify: () => void) => () => void, get: () => T, onServer: () => T): T;
  export interface FormEvent<E> { preventDefault(): void; currentTarget: E }
}
declare module "react-dom/client" {
  export function createRoot(element: HTMLElement): { render(content: unknown): void };
}
declare module "react/jsx-runtime" {
  export const jsx: unknown;
  export const jsxs: unknown;
  export const Fragment: unknown;
  export namespace JSX { interface IntrinsicElements { [name: string]: any } }
}
`;

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
  for (const name of ["page.tsx", "use-rows.ts"]) writeFileSync(join(folder, name), fileOf(name));
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
    "page.tsx": fileOf("page.tsx"),
    "use-rows.ts": fileOf("use-rows.ts"),
    "process.d.ts": "declare const process: { env: Record<string, string | undefined> };",
    "react.d.ts": REACT,
  };
  const compilerOptions = {
    moduleDetection: "auto",
    jsx: "react-jsx",
    paths: { "quern-client": [`${client}/index.d.ts`] },
  };
  expect(await typeProblems(files, { compilerOptions })).toEqual([]);
}, 60_000);

describe("the guide's page", () => {
  const open = async (key: string): Promise<Page> => {
    const page = await (await (await sharedBrowser()).newContext()).newPage();
    await page.goto(
      `http://127.0.0.1:${pages.port}/?server=${encodeURIComponent(server.variables.QUERN)}&doc=${server.variables.DOC}`,
    );
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Show open orders" }).click();
    return page;
  };
  const shown = (page: Page) => () =>
    page
      .getByRole("button")
      .allInnerTexts()
      .then((texts) => texts.map((text) => Number(text.replace("Ship order ", ""))));
  const ship = (page: Page, id: number) => page.getByRole("button", { name: `Ship order ${id}`, exact: true }).click();

  test.skipIf(!CHROMIUM)(
    inBrowser("shows two people each other's changes without reloading"),
    async () => {
      const { QUERN, KEY, DOC } = server.variables;
      const doc = createClient({ url: QUERN, key: KEY }).doc(DOC);
      const orders = doc.table("Orders");
      const json = { email: "bob@example.com", role: "editors" };
      const { token } = await doc.request<{ token: string }>("POST", "tokens", { json });
      const [ann, bob] = await Promise.all([open(KEY), open(token)]);
      for (const page of [ann, bob]) await expectPoll(shown(page)).toEqual([2, 3, 4]);
      expect(await ann.getByRole("listitem").first().innerText()).toContain("1 × Basket for Bob Stone");

      await ship(ann, 3);
      for (const page of [bob, ann]) await expectPoll(shown(page)).toEqual([2, 4]);
      await ship(bob, 2);
      for (const page of [ann, bob]) await expectPoll(shown(page)).toEqual([4]);
      expect((await orders.list({ filter: { Status: ["open"] } })).records.map(({ id }) => id)).toEqual([4]);
      const [added = 0] = await orders.create([{ Item: 1, Customer: 1, Amount: 7, Status: "open" }]);
      for (const page of [ann, bob]) await expectPoll(shown(page)).toEqual([4, added]);
      // Through a reference.
      await doc.table("Items").update([{ id: 1, fields: { Item: "Small bell" } }]);
      for (const page of [ann, bob])
        await expectPoll(() => page.getByRole("listitem").last().innerText()).toContain("7 × Small bell for Ann Lee");
      for (const page of [ann, bob]) await page.context().close();
    },
    120_000,
  );

  test.skipIf(!CHROMIUM)(
    inBrowser("says why it shows nothing"),
    async () => {
      const page = await open("0".repeat(40));
      await expectPoll(() => page.getByRole("alert").innerText()).toContain("key");
      await page.context().close();
    },
    120_000,
  );
});
