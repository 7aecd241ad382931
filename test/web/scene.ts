import { afterAll, beforeAll, beforeEach } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Log } from "../../src/lib/observability/log.ts";
import { addUser, type UserInput } from "../../src/services/accounts/users.ts";
import { sharedBrowser, type Site, startSite, visit, type Visit } from "./browser.ts";
import { call } from "./calls.ts";
import { ADA } from "./visitor.ts";

export interface Setting {
  /** Settings by flag. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** The users with accounts. */
  readonly people?: readonly UserInput[];
}

/** The shared fixture of a group of tests. */
export interface Scene {
  readonly browser: Browser;
  readonly site: Site;
  openWindow(this: void, options?: BrowserContextOptions): Promise<Visit>;
}

/** Registers a fixture for a group of tests: `begin` sets it up before them, and it is torn down after them. */
export function setScene(begin: (scene: Scene) => Promise<void>, { flags, log, people = [] }: Setting = {}): void {
  const ends = new AsyncDisposableStack();
  beforeAll(async () => {
    const site = ends.use(startSite(flags, log));
    const browser = await sharedBrowser();
    for (const person of people) await addUser(site.app.ctx, person);
    await begin({ browser, site, openWindow: (options) => visit(browser, site, options) });
  });
  afterAll(() => ends.disposeAsync());
}

/** The fixture of one test. */
export interface Story extends Scene {
  /** Ada's window: one for all tests, since opening one takes longer than most of them. */
  readonly ada: Visit;
  readonly page: Page;
  /** Ada's email address: each test has a new Ada. */
  readonly email: string;
  /** Adds a user, called Ben by default, with a role on a document of Ada's and a window of their own. */
  invite(this: void, doc: string, role: "editors" | "viewers", person?: UserInput): Promise<Visit>;
}

/** Registers a fixture, and runs `begin` before each test of the group, with Ada signed in by default. */
export function eachStory(
  begin: (story: Story) => void | Promise<void>,
  { isSignedIn = true, ...setting }: Setting & { readonly isSignedIn?: boolean } = {},
): void {
  let scene: Scene;
  let ada: Visit;
  let count = 0;
  setScene(async (set) => {
    scene = set;
    ada = await scene.openWindow();
  }, setting);
  beforeEach(async () => {
    const { ctx } = scene.site.app;
    const email = `ada${++count}@example.com`;
    await addUser(ctx, { ...ADA, email });
    await ada.reset();
    if (isSignedIn) await ada.signIn(email);
    const ben = { email: `ben${count}@example.com`, name: "Ben" };
    const invite: Story["invite"] = async (doc, role, person = ben) => {
      await addUser(ctx, person);
      await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [person.email]: role } } });
      const his = await scene.openWindow();
      await his.signIn(person.email);
      return his;
    };
    await begin({ ...scene, ada, page: ada.page, email, invite });
  });
}
