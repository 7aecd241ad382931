/** States of the pages of a document other than its tables. */
import type { Page } from "playwright-core";
import { button, dialog, fillCode, item, problem, shownText } from "../controls.ts";
import { refuse, t, waitForDialog, waitForToast, type PseudoScene } from "./scenes.ts";

const sceneOf =
  (page: string, path: PseudoScene["path"]) =>
  (name: string, open?: PseudoScene["open"]): PseudoScene => ({
    name: `${page}: ${name}`,
    path,
    ...(open && { open }),
  });

const sql = sceneOf("sql", ({ docId }) => `/docs/${docId}/sql`);

async function runQuery(page: Page, query: string): Promise<void> {
  await fillCode(page.getByLabel(t("sql.query"), { exact: true }), query);
  await page.keyboard.press("Control+Enter");
}

const SQL_SCENES: readonly PseudoScene[] = [
  sql("query"),
  sql("result", async (page) => {
    await runQuery(page, "select *, null as Empty from Stock where Price > 2");
    await page.locator(".grid .cell").first().waitFor();
    await button(page, t("sql.csv")).click();
    await page.getByRole("menu").waitFor();
  }),
  sql("parameters", async (page) => {
    await runQuery(page, "select * from Stock where Price > ?");
    await page
      .getByLabel(t("sql.parameter", { name: "?1" }))
      .or(page.locator(".parameters input"))
      .first()
      .waitFor();
  }),
  sql("refused", async (page) => {
    await runQuery(page, "select Colour from Stock");
    await problem(page).waitFor();
  }),
  sql("no results", async (page) => {
    await runQuery(page, "select * from Stock where Price > 1000000");
    await page.getByText(t("sql.noResults")).first().waitFor();
  }),
  sql("saved queries", async (page, _, check) => {
    await button(page, t("sql.saved")).click();
    await waitForDialog(page);
    await check();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await runQuery(page, "select count(*) from Stock where Price > :least");
    await button(page, t("sql.save.menu")).click();
    await waitForDialog(page);
    await check();
    await dialog(page).getByLabel(t("sql.save.name")).fill("Stock");
    await button(dialog(page), t("sql.save")).click();
    await dialog(page).waitFor({ state: "detached" });
    await button(page, t("sql.saved")).click();
    await dialog(page).locator("li").first().waitFor();
  }),
  sql("recent queries", async (page, _, check) => {
    await button(page, t("sql.recent")).click();
    await waitForDialog(page);
    await check();
    await page.keyboard.press("Escape");
    // Only then has the focus returned.
    await dialog(page).waitFor({ state: "detached" });
    await runQuery(page, "select count(*) from Stock");
    await page.locator(".grid .cell").first().waitFor();
    await button(page, t("sql.recent")).click();
    await dialog(page).locator("li").first().waitFor();
  }),
];

const webhooks = sceneOf("webhooks", ({ docId }) => `/docs/${docId}/webhooks`);
const firstCard = (page: Page) => page.locator(".hook").first();

const inMenu = (action: string) => async (page: Page) => {
  await button(firstCard(page), t("webhooks.more")).click();
  await item(page, action).click();
  await waitForDialog(page);
};

const DELIVERIES = [
  { id: 9, time: "2026-03-02T09:14:08.000Z", size: 1, attempt: 2, status: "success", httpStatus: 200, durationMs: 41 },
  {
    id: 8,
    time: "2026-03-02T09:14:06.000Z",
    size: 1,
    attempt: 1,
    status: "failure",
    httpStatus: 503,
    durationMs: 2120,
  },
  { id: 7, time: "2026-03-01T16:40:51.000Z", size: 9, attempt: 1, status: "failure", httpStatus: null, durationMs: 50 },
].map((each) => ({ ...each, messageId: `msg_${each.id}`, errorMessage: null }));

/** One webhook in each state, since no receiver is called. */
const STATES = ["idle", "sending", "retrying", "postponed", "error", "invalid"].map((status, index) => ({
  id: `w${index}`,
  fields: {
    name: `Hook ${index}`,
    memo: "",
    url: "https://example.com/",
    enabled: true,
    tableId: index === 5 ? "" : "Stock",
    eventTypes: ["add", "update", "remove"].slice(0, 1 + (index % 3)),
    isReadyColumn: index === 1 ? "Fragile" : null,
    watchedColIds: index === 2 ? ["Price", "Quantity"] : [],
  },
  usage: {
    status,
    numWaiting: index,
    numDropped: index === 4 ? 2 : 0,
    lastEventBatch: index === 0 ? null : { size: index, attempts: index, status: index === 1 ? "success" : "failure" },
    lastHttpStatus: index % 2 ? 503 : null,
    lastSuccessTime: Date.UTC(2026, 0, 1),
    lastFailureTime: index === 0 ? null : Date.UTC(2026, 0, 2),
    lastErrorMessage: "refused",
    updatedTime: Date.UTC(2026, 0, 2),
  },
}));

const WEBHOOK_SCENES: readonly PseudoScene[] = [
  { name: "webhooks: none", path: ({ otherDocId }) => `/docs/${otherDocId}/webhooks` },
  webhooks("list", (page) => firstCard(page).waitFor()),
  webhooks("states", async (page) => {
    await page.route("**/webhooks", (route) => route.fulfill({ json: { webhooks: STATES } }));
    await shownText(page, t("webhooks.state.invalid")).waitFor({ timeout: 20_000 });
  }),
  webhooks("menu", (page) => button(firstCard(page), t("webhooks.more")).click()),
  webhooks("new secret", async (page, _, check) => {
    await inMenu(t("webhooks.renewSecret"))(page);
    await check();
    await button(dialog(page), t("webhooks.secret.renew.action")).click();
    await page.locator("pre.secret").waitFor();
  }),
  webhooks("clear the queue", inMenu(t("webhooks.clear.action"))),
  webhooks("delete", async (page, _, check) => {
    await inMenu(t("webhooks.remove"))(page);
    await check();
    await page.route("**/webhooks/*", (route) => route.fulfill({ json: { success: true } }));
    await button(dialog(page), t("webhooks.remove")).click();
    await waitForToast(page);
  }),
  webhooks("edit", async (page) => {
    await button(firstCard(page), t("webhooks.edit")).click();
    await waitForDialog(page);
  }),
  webhooks("refused form", async (page) => {
    await button(page, t("webhooks.add")).click();
    await page.getByLabel(t("webhooks.form.url")).fill("http://10.0.0.1/hook");
    await page.keyboard.press("Enter");
    await page.locator(".field-problem").waitFor();
  }),
  webhooks("form without events, with a bad header", async (page, _, check) => {
    await button(page, t("webhooks.add")).click();
    await page.getByLabel(t("webhooks.form.url")).fill("https://example.com/");
    for (const box of await dialog(page)
      .locator("fieldset input[name=eventTypes], fieldset input[type=checkbox]")
      .all())
      if (await box.isChecked()) await box.uncheck();
    await button(dialog(page), t("webhooks.form.add")).click();
    await page.locator(".field-problem").first().waitFor();
    await check();
    await page.locator("textarea[name=headers]").fill("no colon");
    await dialog(page).locator("fieldset input[type=checkbox]").first().check();
    await button(dialog(page), t("webhooks.form.add")).click();
    await page.locator(".field-problem").first().waitFor();
  }),
  webhooks("deliveries", async (page, _, check) => {
    await button(firstCard(page), t("webhooks.deliveries")).click();
    await shownText(dialog(page), t("webhooks.deliveries.none")).waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.route("**/deliveries", (route) => route.fulfill({ json: { deliveries: DELIVERIES } }));
    await page.route("**/deliveries/*", (route) =>
      route.fulfill({ json: { ...DELIVERIES[1], event: "rows", body: "[]", answer: "busy" } }),
    );
    await button(firstCard(page), t("webhooks.deliveries")).click();
    await page.locator(".delivery summary").nth(1).click();
    await button(page, t("webhooks.deliveries.again")).waitFor();
  }),
  webhooks("test", async (page) => {
    const answer = {
      success: true,
      httpStatus: 200,
      durationMs: 41,
      body: "ok",
      status: "success",
      errorMessage: null,
    };
    await page.route("**/test", (route) => route.fulfill({ json: answer }));
    await button(firstCard(page), t("webhooks.test")).click();
    await firstCard(page).locator(".note").first().waitFor();
  }),
];

const sharing = sceneOf("sharing", ({ docId }) => `/docs/${docId}/sharing`);

const select = (page: Page, action: string, value: string) =>
  page.locator(`select[data-do=${action}]`).first().selectOption(value);

const SHARING_SCENES: readonly PseudoScene[] = [
  sharing("document"),
  { name: "sharing: workspace", path: ({ workspaceId }) => `/workspaces/${workspaceId}/sharing` },
  { name: "sharing: site", path: () => "/sites/bakery/sharing" },
  sharing("invalid address", async (page) => {
    await page.getByLabel(t("sharing.invite.emails")).fill("nobody");
    await button(page, t("sharing.invite.submit")).click();
    await problem(page).waitFor();
  }),
  sharing("invited", async (page) => {
    await page.getByLabel(t("sharing.invite.emails")).fill("cleo@example.com, dan@example.com");
    await button(page, t("sharing.invite.submit")).click();
    await waitForToast(page);
  }),
  sharing("role changed", async (page) => {
    await select(page, "role", "viewers");
    await waitForToast(page);
  }),
  sharing("refused role", async (page) => {
    await refuse(page, "**/access", { code: "access.own_role", error: "Owners cannot change their own permissions" });
    await select(page, "role", "owners");
    await waitForToast(page);
  }),
  sharing("make public", async (page, _, check) => {
    await select(page, "public", "viewers");
    await waitForDialog(page);
    await check();
    await button(dialog(page), t("sharing.publish.action")).click();
    await waitForToast(page);
    await page.locator("select[data-do=public]").waitFor();
    await select(page, "public", "");
    await shownText(page, t("sharing.publish.endedDocument")).waitFor();
  }),
  sharing("inheritance", async (page) => {
    await select(page, "inherit", "viewers");
    await waitForToast(page);
    await select(page, "inherit", "owners");
  }),
  {
    name: "sharing: leave a shared document",
    path: () => "/",
    async open(page) {
      await page.locator("section.site").filter({ hasText: "Ben Miller" }).locator("tbody th a").first().click();
      await page.goto(`${page.url()}/sharing`);
      const leave = page.locator('[data-do="leave"]');
      if ((await leave.count()) === 0) return;
      await leave.click();
      await waitForDialog(page);
    },
  },
];

const history = sceneOf("history", ({ docId }) => `/docs/${docId}/history`);

const HISTORY_SCENES: readonly PseudoScene[] = [
  history("states"),
  { name: "history: a document with formulas", path: ({ kindsId }) => `/docs/${kindsId}/history` },
  history("restore", async (page) => {
    await page.locator("button[data-do=restore]").last().click();
    await waitForDialog(page);
  }),
  { name: "history: first state", path: ({ docId }) => `/docs/${docId}/history/1` },
  { name: "history: a state", path: ({ docId }) => `/docs/${docId}/history/3` },
  { name: "history: a state with values of every type", path: ({ kindsId }) => `/docs/${kindsId}/history/5` },
  { name: "history: two states compared", path: ({ docId }) => `/docs/${docId}/history/3?with=now` },
  {
    name: "history: a page of compared rows",
    path: ({ kindsId }) => `/docs/${kindsId}/history/1?with=now&table=Kinds`,
  },
  { name: "history: changes of a table", path: ({ docId }) => `/docs/${docId}/history?table=Stock` },
  history("a session", (page) => page.locator(".session summary").first().click()),
  history("restore a column", async (page, { call, otherDocId }) => {
    const id = `T${Date.now()}`;
    const apply = (action: unknown[]) => call("POST", `/docs/${otherDocId}/apply`, [action]);
    await apply(["AddTable", id, [{ id: "A", type: "Text", isFormula: false }]]);
    await apply(["AddRecord", id, null, { A: "one" }]);
    const { actionNum } = (await apply(["UpdateRecord", id, 1, { A: "two" }])) as { actionNum: number };
    await page.goto(`/docs/${otherDocId}/history/${actionNum}`);
    await page.locator("[data-do=restore-column]").click();
    await waitForDialog(page);
  }),
  { name: "history: newer states", path: ({ docId }) => `/docs/${docId}/history?before=3` },
  { name: "history: unknown state", path: ({ docId }) => `/docs/${docId}/history/999` },
  history("newer states exist", async (page, { call, otherDocId }) => {
    await page.goto(`/docs/${otherDocId}/history`);
    await page.waitForLoadState();
    await call("POST", `/docs/${otherDocId}/apply`, [["AddTable", `T${Date.now()}`, [{ id: "A", type: "Text" }]]]);
    await page.locator("#newer button").waitFor();
  }),
];

const settings = sceneOf("document settings", ({ docId }) => `/docs/${docId}/settings`);

const DOCUMENT_SETTINGS_SCENES: readonly PseudoScene[] = [
  settings("owner", (page) => page.locator("#usage table").waitFor()),
  settings("refused", async (page) => {
    await page.locator("input[name=name]").fill(" ");
    await page.locator("input[name=name]").blur();
    await page.locator(".setting .note.problem").waitFor();
  }),
  ...["remove", "reload", "delete-history"].map((command) =>
    settings(command, async (page) => {
      await page.locator(`[data-do=${command}]`).click();
      await waitForDialog(page);
    }),
  ),
  {
    name: "document settings: formula timing",
    path: ({ kindsId }) => `/docs/${kindsId}/settings`,
    async open(page) {
      await page.locator("[data-do=start-timing]").or(page.locator("[data-do=stop-timing]")).first().waitFor();
      if (await page.locator("[data-do=start-timing]").isVisible())
        await page.locator("[data-do=start-timing]").click();
      await page.locator("[data-do=stop-timing]").waitFor();
    },
  },
];

const CODE_SCENES: readonly PseudoScene[] = [
  ...["curl", "javascript", "python"].map((language) => ({
    name: `code: ${language}`,
    path: ({ docId }: { docId: string }) => `/docs/${docId}/code?table=Stock&lang=${language}`,
  })),
  { name: "code: every type", path: ({ kindsId }) => `/docs/${kindsId}/code?table=Kinds` },
  { name: "code: unknown table", path: ({ docId }) => `/docs/${docId}/code?table=Unicorn` },
];

export const TOOL_SCENES: readonly PseudoScene[] = [
  ...SQL_SCENES,
  ...WEBHOOK_SCENES,
  ...SHARING_SCENES,
  ...HISTORY_SCENES,
  ...DOCUMENT_SETTINGS_SCENES,
  ...CODE_SCENES,
];
