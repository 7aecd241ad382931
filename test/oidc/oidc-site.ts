import { issueSignInLink } from "../../src/services/accounts/sign-in-links.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { testApp, type TestApp, type TestAppOptions } from "../helpers/app.ts";
import { CookieBrowser, type Page } from "./cookie-browser.ts";
import { TestProvider } from "./test-provider.ts";

export interface OidcSite extends TestApp {
  readonly provider: TestProvider;
  /** A second provider of the same server. */
  readonly other: TestProvider;
  /** Goes through all steps in a browser: start, provider, callback. */
  signIn(
    browser?: CookieBrowser,
    name?: "keycloak" | "other",
    next?: string,
  ): Promise<{ browser: CookieBrowser; page: Page }>;
  /** Starts in a browser; returns the URL of the provider. */
  start(browser: CookieBrowser, name?: "keycloak" | "other", next?: string): Promise<string>;
  /** Signs in by a link, as administrators of the machine create them. */
  signInByLink(email: string): Promise<{ browser: CookieBrowser }>;
  browser(origin?: string): CookieBrowser;
  /** The content of the home database that a refused sign-in must not change. */
  home(): string;
  userOf(browser: CookieBrowser): Promise<string | null>;
}

/** Tables that attempts may change: a state is used once, and attempts are counted. */
const TABLES_OF_ATTEMPTS: ReadonlySet<string> = new Set(["used_challenges", "audit_entries", "audit_checkpoints"]);

export interface OidcSiteOptions extends TestAppOptions {
  /** Settings of both providers, by suffix. */
  readonly settings?: Record<string, string>;
  readonly isConfidential?: boolean;
}

/** A server with two providers, `keycloak` and `other`, and an administrator. */
export async function oidcSite(options: OidcSiteOptions = {}): Promise<OidcSite> {
  const { settings = {}, isConfidential = true, variables = {}, ...rest } = options;
  const [provider, other] = [new TestProvider(), new TestProvider()];
  provider.isConfidential = isConfidential;
  other.isConfidential = isConfidential;
  const t = await testApp({
    ...rest,
    variables: { ...provider.variables("KEYCLOAK", settings), ...other.variables("OTHER", settings), ...variables },
  });
  await addUser(t.app.ctx, { email: "root@example.com", name: "Root", isAdmin: true });
  const providers = { keycloak: provider, other };
  const start: OidcSite["start"] = async (browser, name = "keycloak", next) => {
    const query = next === undefined ? "" : `?${new URLSearchParams({ next }).toString()}`;
    const page = await browser.get(`/sign-in/oidc/${name}/start${query}`);
    if (page.to === null) throw new Error(`no redirect: ${page.status} ${page.html}`);
    return page.to;
  };
  return {
    ...t,
    provider,
    other,
    start,
    async signIn(browser = new CookieBrowser(t.app), name = "keycloak", next) {
      const url = await start(browser, name, next);
      return { browser, page: await browser.get(providers[name].authorize(url).href) };
    },
    async signInByLink(email) {
      const browser = new CookieBrowser(t.app);
      await browser.post("/sign-in/link", { token: issueSignInLink(t.app.ctx, email).token });
      return { browser };
    },
    browser: (origin) => new CookieBrowser(t.app, origin),
    home() {
      const { raw } = t.app.ctx.home;
      const tables = raw
        .all<{ name: string }>("select name from sqlite_master where type = 'table' order by name")
        .filter(({ name }) => !TABLES_OF_ATTEMPTS.has(name));
      return JSON.stringify(tables.map(({ name }) => [name, raw.all(`select * from "${name}"`)]));
    },
    async userOf(browser) {
      const { html } = await browser.get("/profile");
      return /<dt>Email<\/dt><dd translate="no">([^<]+)/.exec(html)?.[1] ?? null;
    },
    async [Symbol.asyncDispose]() {
      provider[Symbol.dispose]();
      other[Symbol.dispose]();
      await t[Symbol.asyncDispose]();
    },
  };
}
