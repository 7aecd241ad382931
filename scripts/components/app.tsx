/** The page of all components, with the modules, styles and headers of the pages of the server. */
import { Hono } from "hono";
import { join } from "node:path";
import { loadAssets, serveAsset } from "../../src/web/assets.ts";
import type { PageEnv } from "../../src/web/base/page-context.ts";
import { setPageHeaders } from "../../src/web/security-headers.ts";
import { en } from "../../src/web/texts/en.ts";
import { ComponentsPage } from "./page.tsx";

const SCRIPT = { "Content-Type": "text/javascript; charset=utf-8" };

/** Bundles the assets and the page's script, and returns the app that serves them. */
export async function createComponentsApp(): Promise<Hono<PageEnv>> {
  await loadAssets();
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "client", "components.ts")],
    target: "browser",
    format: "esm",
    throw: true,
  });
  const script = (await outputs[0]?.text()) ?? "";
  const app = new Hono<PageEnv>();
  app.use(setPageHeaders);
  app.get("/", (c) => c.html(<ComponentsPage />));
  app.get("/texts.js", (c) => c.body(`globalThis.quernTexts=${JSON.stringify(en)}`, 200, SCRIPT));
  app.get("/components.js", (c) => c.body(script, 200, SCRIPT));
  app.get("/assets/*", async (c) => (await serveAsset(c.req.raw, c.req.path)) ?? c.notFound());
  return app;
}
