import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site } from "./browser.ts";
import { apiOf } from "./calls.ts";
import { button } from "./controls.ts";
import { type FormSite, publishForm } from "../../scripts/screenshots/form-sample.ts";
import { expectHarmless, HOSTILE_LINES } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const mail = (page: Page) => page.getByLabel("Your email (required)");
const summary = (page: Page) => page.locator(".summary");
const isFocused = (page: Page, selector: string) =>
  page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)})`);

/** Fills in what the form requires. */
async function fillIn(page: Page, email = "vera@example.com"): Promise<void> {
  await mail(page).fill(email);
  await page.getByLabel("I accept the rules (required)").check();
  await page.getByLabel("Sails").check();
}

/** Words of the document that a visitor must not see. */
const SECRETS = /secret|s-row|Workspace|ada\d*@/i;

describe.skipIf(!CHROMIUM)(inBrowser("a published form"), () => {
  let site: Site;
  let openWindow: Story["openWindow"];
  let form: FormSite;
  let email: string;
  eachStory(async (story) => {
    ({ site, openWindow, email } = story);
    form = await publishForm(apiOf(story.ada));
  });

  /** Answers the form by HTTP, as a browser without a script does. */
  const post = (fields: readonly (readonly [string, string | File])[], path = form.path): Promise<Response> => {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    return fetch(`${site.address}${path}`, {
      method: "POST",
      body,
      headers: { Origin: site.address, Accept: "text/html" },
    });
  };
  const REQUIRED = [
    ["answer.Mail", "vera@example.com"],
    ["answer.Agreed", "1"],
    ["answer.Topics", "Sails"],
  ] as const;

  test("is answered without a script, and again", async () => {
    await using visitor = await openWindow({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(form.path);
    await fillIn(page);
    await page.getByLabel("Your age").fill("31");
    await page.getByLabel("Date of birth").fill("1995-03-04");
    await page.getByLabel("Arrival").fill("2026-05-06T07:08");
    await page.getByLabel("M", { exact: true }).check();
    await page.getByLabel("Knots").check();
    await page.getByLabel("Team", { exact: true }).selectOption({ label: "Blue" });
    await page.getByLabel("Green").check();
    await page.getByLabel("Anything else").fill("Two lines\nof text");
    await page.getByLabel("Photo").setInputFiles({
      name: "boat.png",
      mimeType: "image/png",
      buffer: Buffer.from("no picture"),
    });
    await button(page, "Join").click();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");
    expect(await page.getByText("Thank you, see you soon.").count()).toBe(1);
    expect(await form.answers()).toMatchObject([
      {
        Mail: "vera@example.com",
        Age: 31,
        Agreed: true,
        Born: Date.UTC(1995, 2, 4) / 1000,
        Arrives: Date.UTC(2026, 4, 6, 5, 8) / 1000,
        Size: "M",
        Topics: ["L", "Sails", "Knots"],
        Team: 2,
        Also: ["L", 3],
        Notes: "Two lines\nof text",
        Photo: ["L", 1],
      },
    ]);
    await page.getByRole("link", { name: "Send another answer" }).click();
    await fillIn(page, "second@example.com");
    await button(page, "Join").click();
    await expectPoll(async () => (await form.answers()).map((row) => row["Mail"])).toEqual([
      "vera@example.com",
      "second@example.com",
    ]);
    expect(visitor.problems).toEqual([]);
    expect(await visitor.context.cookies()).toEqual([]);
  });

  test("names problems beside the answers and in a summary, and keeps what was entered", async () => {
    await using visitor = await openWindow({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(form.path);
    await fillIn(page);
    await page.getByLabel("Sails").uncheck();
    await page.getByLabel("Your age").fill("old");
    await page.getByLabel("Date of birth").fill("1995-03-04");
    await page.getByLabel("L", { exact: true }).check();
    await page.getByLabel("Red", { exact: true }).check();
    await page.getByLabel("Photo").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await button(page, "Join").click();
    await expectPoll(() => summary(page).locator("p").textContent()).toBe("2 answers need changes:");
    expect(await summary(page).locator("li").allTextContents()).toEqual([
      "Your age: Enter a whole number.",
      "Topics: Answer this question.",
    ]);
    expect(await page.locator(".field-problem").allTextContents()).toEqual([
      "Enter a whole number.",
      "Answer this question.",
    ]);
    expect(await page.getByLabel("Your age").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Your age").inputValue()).toBe("old");
    expect(await page.getByLabel("Date of birth").inputValue()).toBe("1995-03-04");
    expect(await page.getByLabel("L", { exact: true }).isChecked()).toBe(true);
    expect(await page.getByLabel("Red", { exact: true }).isChecked()).toBe(true);
    expect(await page.getByText("Choose your files again").count()).toBe(1);
    expect(await form.answers()).toEqual([]);
    await summary(page).getByRole("link", { name: "Topics" }).click();
    await page.keyboard.press("Tab");
    await page.getByLabel("Your age").fill("30");
    await page.getByLabel("Boats").check();
    await button(page, "Join").click();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");
    expect(await form.answers()).toMatchObject([{ Age: 30, Topics: ["L", "Boats"], Size: "L", Also: ["L", 1] }]);
  });

  test("has the focus on the summary, and is accessible in every state", async () => {
    await using visitor = await openWindow();
    const { page } = visitor;
    await page.goto(form.path);
    await expectAccessible(page);
    await fillIn(page);
    await page.getByLabel("Sails").uncheck();
    await button(page, "Join").click();
    await expectPoll(() => isFocused(page, ".summary")).toBe(true);
    await expectAccessible(page);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expectPoll(() => isFocused(page, "input[name='answer.Topics']")).toBe(true);
    await page.keyboard.press("Space");
    await button(page, "Join").click();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");
    await expectAccessible(page);
    await page.goto("/forms/unknown/1");
    await expectAccessible(page);
    expect(visitor.problems).toEqual([]);
  });

  test("takes initial values from its address, also for hidden questions, and sends them", async () => {
    await using visitor = await openWindow({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`${form.path}?Mail=a%40example.com&Source=poster&Size=M&token=x`);
    await expectPoll(() => mail(page).inputValue()).toBe("a@example.com");
    expect(await page.getByLabel("M", { exact: true }).isChecked()).toBe(false);
    expect(await page.getByText("Hidden question").count()).toBe(0);
    await fillIn(page, "b@example.com");
    await page.getByLabel("Sails").uncheck();
    await button(page, "Join").click();
    await summary(page).waitFor();
    await page.getByLabel("Sails").check();
    await button(page, "Join").click();
    await expectPoll(() => form.answers()).toMatchObject([{ Mail: "b@example.com", Source: "poster" }]);
    await page.getByRole("link", { name: "Send another answer" }).click();
    await expectPoll(() => mail(page).inputValue()).toBe("a@example.com");
  });

  test("adds one row for two clicks, with a script and without", async () => {
    await using visitor = await openWindow();
    const { page } = visitor;
    await page.goto(form.path);
    await fillIn(page);
    await button(page, "Join").dblclick();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");
    expect(await form.answers()).toHaveLength(1);
    const twice = [...REQUIRED, ["token", "same"]] as const;
    const replies = await Promise.all([post(twice), post(twice)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await form.answers()).toHaveLength(2);
    // Another answer with the same token, as after Back.
    expect((await post([...twice, ["answer.Age", "5"]])).status).toBe(200);
    expect(await form.answers()).toHaveLength(3);
  });

  test("stores nothing for programs that fill in every field, and lets people send again", async () => {
    const reply = await post([...REQUIRED, ["website", "https://spam.example"]]);
    expect(reply.status).toBe(400);
    const html = await reply.text();
    expect(html).toContain("Your answer has not been sent yet.");
    expect(html).toContain(`value="vera@example.com"`);
    expect(html).not.toContain("spam.example");
    expect(await form.answers()).toEqual([]);
  });

  test("keeps the input when there are too many answers", async () => {
    const replies: Response[] = [];
    while (replies.every(({ status }) => status === 200) && replies.length < 500) {
      replies.push(...(await Promise.all(Array.from({ length: 20 }, () => post(REQUIRED)))));
    }
    const refused = replies.find(({ status }) => status !== 200);
    expect([429, 503]).toContain(refused?.status ?? 0);
    expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
    const html = (await refused?.text()) ?? "";
    expect(html).toMatch(/Too many answers right now. Your input is kept. Try again in \d+ seconds?\./);
    expect(html).toContain(`value="vera@example.com"`);
    expect(await form.answers()).toHaveLength(replies.filter(({ status }) => status === 200).length);
    // Other tests send answers from the same address.
    site.app.ctx.answerLimits.forget();
  });

  test("leads to the address of the author after an answer", async () => {
    const next = `${site.address}/help?row={{ID}}`;
    const layout = form.layout();
    await form.setLayout({ ...layout, successURL: next });
    await using visitor = await openWindow({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(form.path);
    await fillIn(page);
    await button(page, "Join").click();
    await page.waitForURL("/help?row=1");
    for (const successURL of ["javascript:alert(1)", "/help", "https://"]) {
      await form.setLayout({ ...layout, successURL });
      const html = await (await post(REQUIRED)).text();
      expect(html).not.toMatch(/http-equiv|javascript:|Continue to/);
    }
  });

  test("says why it accepts no answers", async () => {
    const endOf = async (path = form.path): Promise<[number, string]> => {
      const response = await fetch(`${site.address}${path}`, { headers: { Accept: "text/html" } });
      const [, title = ""] = /<h1[^>]*>(.*?)<\/h1>/s.exec(await response.text()) ?? [];
      return [response.status, title.replaceAll(/<[^>]*>/g, "")];
    };
    const [, , key = ""] = form.path.split("/");
    for (const path of [`/forms/${key}/99`, `/forms/${key}/x`, `/forms/${key}x/${form.section}`, `/forms/x/y`]) {
      expect([path, await endOf(path)]).toEqual([path, [404, "This form does not exist."]]);
    }
    expect((await endOf(`${form.path}x`))[0]).toBe(200);
    await form.setForm({ closesAt: "2026-05-03T12:00:00.000Z" });
    expect(await endOf()).toEqual([
      403,
      expect.stringMatching(/^This form closed on May 3, 2026 at 12:00\s?PM UTC\.$/) as string,
    ]);
    expect((await post(REQUIRED)).status).toBe(403);
    await form.setForm({ maxAnswers: 1 });
    expect((await post(REQUIRED)).status).toBe(200);
    expect(await endOf()).toEqual([403, "This form no longer accepts answers."]);
    expect((await post(REQUIRED)).status).toBe(403);
    await form.setForm({});
    await form.publish(false);
    expect(await endOf()).toEqual([404, "This form is no longer published."]);
    expect((await post(REQUIRED)).status).toBe(404);
    expect(await form.answers()).toHaveLength(1);
  });

  test("says when it will close, in the time zone of the visitor; without a script in UTC", async () => {
    const closing = /^This form closes on May 3, 2999 at (.*)\.$/;
    await form.setForm({ closesAt: "2999-05-03T12:00:00.000Z" });
    await using visitor = await openWindow({ timezoneId: "Asia/Tokyo" });
    await visitor.page.goto(form.path);
    await expectPoll(
      async () => closing.exec((await visitor.page.locator(".closing").textContent()) ?? "")?.[1],
    ).toMatch(/^9:00\s?PM GMT\+9$/);
    await using plain = await openWindow({ javaScriptEnabled: false, timezoneId: "Asia/Tokyo" });
    await plain.page.goto(form.path);
    expect(closing.exec((await plain.page.locator(".closing").textContent()) ?? "")?.[1]).toMatch(/^12:00\s?PM UTC$/);
    await form.setForm({});
    await plain.page.reload();
    expect(await plain.page.locator(".closing").count()).toBe(0);
  });

  test("leads to signing in and back when it accepts answers of users only", async () => {
    await form.setForm({ signIn: true });
    await using visitor = await openWindow();
    const { page } = visitor;
    await page.goto(`${form.path}?Mail=x`);
    await page.waitForURL(`/sign-in?next=${encodeURIComponent(`${form.path}?Mail=x`)}`);
    const reply = await post(REQUIRED);
    expect(reply.status).toBe(403);
    const html = await reply.text();
    expect(html).toContain("You are signed out. Your input is kept.");
    expect(html).toContain(`value="vera@example.com"`);
    expect(await form.answers()).toEqual([]);
    await visitor.signIn(email);
    await page.goto(form.path);
    await expectPoll(() => page.locator("main").innerText()).toContain(`You are signed in as ${email}.`);
    await fillIn(page);
    await button(page, "Join").click();
    await expectPoll(() => form.answers()).toHaveLength(1);
  });

  test("reveals nothing of the document but what it asks", async () => {
    const pages = await Promise.all([
      fetch(`${site.address}${form.path}`),
      fetch(`${site.address}/forms/x/1`, { headers: { Accept: "text/html" } }),
      post(REQUIRED),
      post([]),
      post([...REQUIRED, ["answer.Team", "99"], ["answer.Secret", "x"], ["answer.Size", "XL"]]),
      post([...REQUIRED, ["website", "x"]]),
    ]);
    for (const reply of pages) {
      const html = (await reply.text()).replaceAll(form.path, "");
      expect(html).not.toMatch(SECRETS);
      expect(html).not.toContain(form.doc);
      expect(html).not.toContain("<!--");
      expect(reply.headers.get("cache-control")).toBe("no-store");
      expect(reply.headers.get("x-robots-tag")).toBe("noindex");
      expect(reply.headers.get("referrer-policy")).toBe("same-origin");
      expect(reply.headers.get("set-cookie")).toBeNull();
      expect(reply.headers.get("content-security-policy")).toContain("form-action 'self'");
    }
  });

  test("stays on the site of its address", async () => {
    const path = `/o/docs${form.path}`;
    const html = await (await fetch(`${site.address}${path}?Mail=a`)).text();
    expect(html).toContain(`action="${path}?Mail=a"`);
    expect((await post(REQUIRED, path)).status).toBe(200);
    expect(await form.answers()).toHaveLength(1);
  });

  test("is refused when another site sends it", async () => {
    const body = new FormData();
    for (const [name, value] of REQUIRED) body.append(name, value);
    for (const Origin of ["https://evil.example", "null"]) {
      const reply = await fetch(`${site.address}${form.path}`, { method: "POST", body, headers: { Origin } });
      expect([Origin, reply.status]).toEqual([Origin, 403]);
    }
    expect(await form.answers()).toEqual([]);
  });

  test("refuses answers that are too large, and keeps what arrived", async () => {
    const reply = await post([...REQUIRED, ["answer.Notes", "x".repeat(3_000_000)]]);
    expect(reply.status).toBe(413);
    const html = await reply.text();
    expect(html).toContain("The answer with its files is too large.");
    expect(html).toContain(`value="vera@example.com"`);
    expect(await form.answers()).toEqual([]);
  });

  test("shows how many characters are left, and that it is being sent", async () => {
    await using visitor = await openWindow();
    const { page } = visitor;
    await page.goto(form.path);
    const left = page.locator(".remaining");
    await page.getByLabel("Anything else").fill("short");
    expect(await left.isVisible()).toBe(false);
    await page.getByLabel("Anything else").fill("x".repeat(39));
    await expectPoll(() => left.textContent()).toBe("1 character left");
    await fillIn(page);
    // The page stays, as while the request is in flight.
    const sent = await page.evaluate<[boolean[], string | null]>(`(() => {
      const form = document.querySelector("form.form");
      const button = form.querySelector(".submit > button");
      const prevented = [];
      form.addEventListener("submit", (event) => {
        prevented.push(event.defaultPrevented);
        event.preventDefault();
      });
      for (const _ of [1, 2]) form.requestSubmit(button);
      return [prevented, button.getAttribute("aria-busy")];
    })()`);
    expect(sent).toEqual([[false, true], "true"]);
    expect(visitor.problems).toEqual([]);
  });

  test("keeps hostile texts as text, wherever they come from", async () => {
    await using visitor = await openWindow();
    const { page } = visitor;
    for (const [index, text] of HOSTILE_LINES.entries()) {
      await form.setOptions("Mail", { question: `${text} ${index}`, description: text });
      await page.goto(`${form.path}?${new URLSearchParams({ Mail: text, Source: text }).toString()}`);
      const control = page.locator("[name='answer.Mail']");
      await expectPoll(() => control.inputValue()).toBe(text);
      await page.getByLabel("I accept the rules (required)").check();
      await button(page, "Join").click();
      await expectPoll(() => summary(page).count()).toBe(1);
      await expectPoll(() => control.inputValue()).toBe(text);
      await expectHarmless(page);
    }
    expect(visitor.problems).toEqual([]);
  });
});
