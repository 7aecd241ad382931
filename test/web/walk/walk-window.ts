/** The window of a random walk: records what goes wrong behind the page. */
import type { Browser, Page, Request } from "playwright-core";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import { BROWSER } from "../../helpers/users.ts";
import type { Site } from "../browser.ts";
import { RECORD_PRESSES } from "./page-state.ts";

/** A request that the server refused. */
export interface Refusal {
  readonly status: number;
  readonly route: string;
  readonly isNavigation: boolean;
}

export interface WalkWindow extends AsyncDisposable {
  readonly page: Page;
  /** Console messages, errors of scripts and failed requests since the last call. */
  takeProblems(): string[];
  /** Refused requests since the last call. */
  takeRefusals(): Refusal[];
  /** Waits until the page awaits no answer and has handled the last one. */
  settle(): Promise<void>;
}

/** A longer answer is none that the page awaits before its next action. */
const MAX_SETTLE_MS = 10_000;
const QUIET_MS = 40;

const isStream = (request: Request): boolean => request.resourceType() === "eventsource";

export async function openWalkWindow(browser: Browser, site: Site, email: string): Promise<WalkWindow> {
  const context = await browser.newContext({ baseURL: site.address, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(30_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { ctx } = site.app;
  const { token } = ctx.home.transaction(() => startSession(ctx, ctx.home.users.byEmail(email)?.id ?? 0, BROWSER));
  await context.addCookies([{ name: "quern_session", value: token, url: site.address, sameSite: "Lax" }]);
  await context.addInitScript(RECORD_PRESSES);
  const page = await context.newPage();
  const awaited = new Set<Request>();
  let lastAnswer = 0;
  let problems: string[] = [];
  let refusals: Refusal[] = [];
  page.on("request", (request) => {
    if (!isStream(request)) awaited.add(request);
    if (!request.url().startsWith(`${site.address}/`)) problems.push(`request to ${request.url()}`);
  });
  const end = (request: Request) => {
    awaited.delete(request);
    lastAnswer = performance.now();
  };
  page.on("requestfinished", end);
  page.on("requestfailed", (request) => {
    end(request);
    const reason = request.failure()?.errorText;
    // Navigation cancels requests, and so do pages that no longer need the answer.
    if (reason !== "net::ERR_ABORTED") problems.push(`${request.url()}: ${reason}`);
  });
  page.on("response", (response) => {
    if (response.status() < 400) return;
    const { pathname } = new URL(response.url());
    const route = `${response.request().method()} ${pathname}`;
    refusals.push({ status: response.status(), route, isNavigation: response.request().isNavigationRequest() });
  });
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // Refused requests are recorded as such.
    if (message.text().startsWith("Failed to load resource: the server responded with a status of 4")) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error of a script: ${error.stack ?? error.message}`));
  page.on("dialog", (dialog) => {
    // Pages ask only before unsaved input is lost.
    if (dialog.type() !== "beforeunload") problems.push(`dialog: ${dialog.message()}`);
    dialog.accept().catch(() => {});
  });
  context.on("page", (opened) => void opened.close().catch(() => {}));
  return {
    page,
    takeProblems() {
      const taken = problems;
      problems = [];
      return taken;
    },
    takeRefusals() {
      const taken = refusals;
      refusals = [];
      return taken;
    },
    async settle() {
      const until = performance.now() + MAX_SETTLE_MS;
      for (;;) {
        const now = performance.now();
        if ((awaited.size === 0 && now - lastAnswer > QUIET_MS) || now > until) break;
        await Bun.sleep(5);
      }
      if (performance.now() > until) awaited.clear();
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
