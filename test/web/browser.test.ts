import { describe, expect, test } from "bun:test";
import { CHROMIUM, inBrowser, sharedBrowser, startSite, visit } from "./browser.ts";

const NAVIGATIONS = {
  "a redirect": "void location.assign('/help?next')",
  "a redirect soon after": "void setTimeout(() => location.assign('/help?next'))",
};

describe.skipIf(!CHROMIUM)(inBrowser("the window of a test"), () => {
  test("is reset while its page navigates", async () => {
    await using site = startSite();
    await using window = await visit(await sharedBrowser(), site);
    for (let round = 0; round < 4; round++) {
      for (const [name, script] of Object.entries(NAVIGATIONS)) {
        await window.page.goto("/help");
        await window.page.evaluate(script);
        await window.reset();
        const { page } = window;
        expect([name, page.url()]).toEqual([name, "about:blank"]);
        await page.goto("/help");
        expect([name, window.problems]).toEqual([name, []]);
      }
    }
  });

  test("is reset while its page has unsaved input", async () => {
    await using site = startSite();
    await using window = await visit(await sharedBrowser(), site);
    await window.page.goto("/help");
    // Browsers ask only after an interaction.
    await window.page.locator("h1").first().click();
    await window.page.evaluate("void addEventListener('beforeunload', (event) => event.preventDefault())");
    await window.reset();
    expect(window.page.url()).toBe("about:blank");
    expect(window.problems).toEqual([]);
  });
});
