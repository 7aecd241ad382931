import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { createApp, type App } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { type Log, silentLog } from "../../src/lib/observability/log.ts";
import { writeFirstRunLink } from "../../src/services/accounts/first-run.ts";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { CHEAP_PASSWORD_HASH, TEST_FLAGS } from "../helpers/app.ts";
import { afterAllTests, tempFolder } from "../helpers/temp-folder.ts";
import { ADA } from "./visitor.ts";
import { BROWSER } from "../helpers/users.ts";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** The installed Chromium; undefined without one. */
export const CHROMIUM = [process.env["TEST_BROWSER"] ?? "", ...PATHS].find((path) => path && existsSync(path));

/** Returns the name of a group of tests, with the reason when it is skipped. */
export const inBrowser = (name: string): string =>
  CHROMIUM ? name : `${name} (left out: no Chromium here; TEST_BROWSER names one)`;

let running: Promise<Browser> | undefined;

/**
 * The browser shared by all tests of this process; each opens windows of its own. It has a fresh profile, makes no
 * background requests, and is closed after the last test.
 */
export const sharedBrowser = (): Promise<Browser> => (running ??= launch());

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? "",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  afterAllTests(async () => {
    running = undefined;
    await browser.close();
  });
  return browser;
}

export interface Site extends AsyncDisposable {
  readonly app: App;
  /** The data folder. */
  readonly folder: string;
  /** `http://127.0.0.1:40123` */
  readonly address: string;
  /** The setup link for the first user; null once a user exists. */
  firstRunLink(): string | null;
}

/**
 * The real server on a free port and a fresh data folder.
 * @param flags settings by flag, such as `max-body`
 */
export function startSite(flags: Readonly<Record<string, string>> = {}, log: Log = silentLog): Site {
  const folder = tempFolder();
  const app = createApp(readConfig({ data: folder, ...TEST_FLAGS, ...flags }, {}), {
    log,
    passwordCost: CHEAP_PASSWORD_HASH,
  });
  return serveSite(app, folder);
}

/** Serves an app on a free port; closing the site closes the app. */
export function serveSite(app: App, folder: string): Site {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // Event streams are silent for longer than Bun's default timeout.
    idleTimeout: 60,
    fetch: (request) => app.handle(request),
  });
  const address = `http://127.0.0.1:${server.port}`;
  return {
    app,
    folder,
    address,
    firstRunLink: () => writeFirstRunLink(app.ctx, address, `${folder}/first-run-link`),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await app.close();
    },
  };
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Failures behind the page so far: console errors (including violations of the content security policy), failed
   * requests, requests to other hosts, dialogs. Excludes error pages and errors of the API, which are below.
   */
  readonly problems: string[];
  /** API errors so far: `400 POST /api/orgs`. */
  readonly refusals: string[];
  /** Signs a user in without the page. */
  signIn(email?: string): Promise<void>;
  /** Resets the window: signed out, no problems recorded. */
  reset(): Promise<void>;
}

/** Set to find tests that depend on the speed of the page and of the server. */
const IS_SLOW = process.env["QUERN_TEST_SLOW_BROWSER"] !== undefined;
const CALL_DELAY_MS = 200;

/** A desktop window size. */
const SIZE = { width: 1280, height: 800 };

/** Opens a window in its own browser context; paths are relative to the site. */
export async function visit(browser: Browser, site: Site, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ baseURL: site.address, viewport: SIZE, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  if (IS_SLOW) await slowDown(context, page);
  const state = { isLeaving: false };
  const problems = watch(page, site, { runsScripts: options.javaScriptEnabled !== false, state });
  const refusals = watchRefusals(page);
  return {
    page,
    context,
    problems,
    refusals,
    async signIn(email = ADA.email) {
      const { ctx } = site.app;
      const { token } = ctx.home.transaction(() => startSession(ctx, ctx.home.users.byEmail(email)?.id ?? 0, BROWSER));
      await context.addCookies([{ name: "quern_session", value: token, url: site.address, sameSite: "Lax" }]);
    },
    async reset() {
      // The former page must not send requests as the next user.
      state.isLeaving = true;
      await leavePage(page);
      state.isLeaving = false;
      await context.clearCookies();
      await context.clearPermissions();
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize(SIZE);
      problems.length = 0;
      refusals.length = 0;
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Makes a page behave as on a loaded machine: calls reach the server late, and scripts take longer. */
async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  await context.route("**/api/**", async (route) => {
    await Bun.sleep(CALL_DELAY_MS);
    // The page may have been left.
    await route.continue().catch(() => {});
  });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

const MAX_LEAVE_MS = 30_000;

/**
 * Shows an empty page. A navigation that the former page has begun, such as a redirect, can abort ours or follow it: it
 * has to end before the next attempt.
 */
async function leavePage(page: Page): Promise<void> {
  const until = performance.now() + MAX_LEAVE_MS;
  for (;;) {
    const isLeft = await page
      .goto("about:blank")
      .then(() => page.evaluate<boolean>("document.URL === 'about:blank'"))
      .catch((error: unknown) => {
        // Any other error, such as a closed browser, is final.
        if (/net::ERR_ABORTED|by another navigation|because of a navigation/.test(String(error))) return false;
        throw error;
      });
    if (isLeft) return;
    if (performance.now() > until) throw new Error(`the page ${page.url()} continues to navigate`);
    await page.waitForLoadState();
  }
}

const isApi = (url: string): boolean => /^https?:\/\/[^/]+(\/o\/[^/]+)?\/api\//.test(url);

function watchRefusals(page: Page): string[] {
  const refusals: string[] = [];
  page.on("response", (response) => {
    const status = response.status();
    const url = response.url();
    if (status < 400 || status >= 500 || !isApi(url)) return;
    refusals.push(`${status} ${response.request().method()} ${new URL(url).pathname}`);
  });
  return refusals;
}

const withoutFragment = (url: string): string => url.replace(/#.*/, "");

interface WatchOptions {
  readonly runsScripts: boolean;
  readonly state: { readonly isLeaving: boolean };
}

function watch(page: Page, site: Site, { runsScripts, state }: WatchOptions): string[] {
  const problems: string[] = [];
  const pages = new Set<string>();
  page.on("request", (request) => {
    if (request.isNavigationRequest()) pages.add(withoutFragment(request.url()));
    if (!request.url().startsWith(`${site.address}/`)) problems.push(`request to ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // Navigation cancels pending requests; modules are not preloaded where scripts are disabled.
    const isUsual = reason === "net::ERR_ABORTED" || (reason === "csp" && !runsScripts);
    if (!isUsual) problems.push(`${request.url()}: ${reason}`);
  });
  page.on("console", (message) => {
    const { url } = message.location();
    const isAnswer =
      message.text().startsWith("Failed to load resource: the server responded with a status of 4") &&
      (pages.has(withoutFragment(url)) || isApi(url));
    if (!isAnswer && (message.type() === "error" || message.type() === "warning")) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    // A page with a change that is being saved asks before it is left.
    void (state.isLeaving ? dialog.accept() : dialog.dismiss());
  });
  return problems;
}
