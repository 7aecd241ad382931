/** The page of the ways to sign in. */
import { describe, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { TEST_FLAGS } from "../helpers/app.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { TestProvider } from "../oidc/test-provider.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, serveSite, visit } from "./browser.ts";
import { button, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { type Story, eachStory } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("an administrator of the ways to sign in"), () => {
  let story: Story;
  eachStory(
    (begun) => {
      story = begun;
      const { users } = begun.site.app.ctx.home;
      users.change(users.byEmail(begun.email)?.id ?? 0, { isAdmin: true });
    },
    { flags: { "require-second-factor": "admins" } },
  );

  test("sees who has no second factor, what is required, and how to set a provider", async () => {
    const { page, ada } = story;
    await page.goto("/admin");
    await page.getByRole("link", { name: "Sign-in" }).first().click();
    await shownText(page, "For administrators who sign in with a password").waitFor();
    await shownText(page, "No providers").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "1 person" }).click();
    await page.waitForURL("/admin/users?show=withoutSecondFactor");
    expect(ada.problems).toEqual([]);
  });

  test("tests a provider, which answers and then does not", async () => {
    using provider = new TestProvider();
    const folder = tempFolder();
    const variables = provider.variables("MY_IDP", { GROUPS_CLAIM: HOSTILE_NAME });
    const app = createApp(readConfig({ data: folder, ...TEST_FLAGS }, variables), { log: silentLog });
    await using site = serveSite(app, folder);
    await addUser(app.ctx, { email: "root@example.com", name: "Root", isAdmin: true });
    await using root = await visit(story.browser, site);
    await root.signIn("root@example.com");
    const { page } = root;
    await page.goto("/admin/providers");
    await shownText(page, "Not used yet").waitFor();
    await shownText(page, "QUERN_OIDC_MY_IDP_ISSUER").waitFor();
    await expectHarmless(page);
    await expectAccessible(page);
    expect(await page.content()).not.toContain(app.ctx.oidc.provider("my-idp").settings.clientSecret ?? "?");
    await button(page, "Test My Idp").focus();
    await page.keyboard.press("Enter");
    await shownText(page, "My Idp can be used").waitFor();
    await shownText(page, "Reachable").waitFor();
    provider.behaviour = { answers: { "/.well-known/openid-configuration": () => new Response("", { status: 502 }) } };
    await button(page, "Test My Idp").click();
    await expectPoll(() => problem(page).first().textContent()).toContain("cannot be used");
    await shownText(page, "Failing").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    expect(root.problems).toEqual([]);
  });
});
