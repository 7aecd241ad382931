import { expect, test } from "bun:test";
import { createGroup } from "../../src/services/accounts/groups.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { PAGE_CLASSES } from "../../src/web/page-classes.ts";
import { testApp, sampleDocument } from "../helpers/app.ts";
import { PASSWORD, Visitor } from "./visitor.ts";

/** Routes without a page of their own: they redirect, or answer only a step of a sign-in. */
const NO_PAGES: ReadonlySet<string> = new Set([
  "/assets/*",
  "/favicon.ico",
  "/admin/users/:userId/:action",
  "/admin/jobs/:jobId/:action",
  "/admin/audit/download",
  "/admin/providers/:provider/test",
  "/admin/groups/:groupId/:action",
  "/admin/nodes",
  "/docs/:docId/history/compare",
  // Only with email.
  "/forgot-password",
  "/profile/identities/disconnect",
  "/profile/key",
  "/profile/keys",
  "/profile/keys/revoke",
  "/profile/language",
  "/profile/name",
  "/profile/password",
  "/profile/security/authenticator",
  "/profile/security/confirm",
  "/profile/security/authenticator/add",
  "/profile/security/authenticator/remove",
  "/profile/security/recovery-codes",
  "/profile/security/passkeys/rename",
  "/profile/security/passkeys/remove",
  "/profile/sessions/end",
  "/profile/sessions/end-others",
  "/sign-in/second-factor",
  "/sign-in/add-second-factor",
  "/sign-in/oidc/:provider/start",
  "/sign-in/oidc/:provider/callback",
  "/sign-in/oidc/:provider/return",
  "/sign-out/:provider",
  "/doc/:docId",
  "/doc/:docId/p/:page",
  "/doc/:docId/f/:section",
  "/doc/:docId/:name/f/:section",
  "/:docId{[A-Za-z0-9]{12,}}/:name/f/:section",
  "/:docId{[A-Za-z0-9]{12,}}/:name",
  "/:docId{[A-Za-z0-9]{12,}}/:name/p/:page",
]);

const NAME = `<b>Sample</b> & more`;

test("the titles of all pages are distinct, and begin with the page", async () => {
  await using server = await testApp();
  const { must, app } = server;
  const { id: userId } = await addUser(app.ctx, {
    email: "ada@example.com",
    name: "Ada",
    password: PASSWORD,
    isAdmin: true,
  });
  const ada = new Visitor(app);
  await ada.signIn();
  const { id: groupId } = createGroup(app.ctx, { name: "Crew", managedBy: null, externalId: null });
  const stranger = new Visitor(app);
  const { doc, workspaceId } = await sampleDocument(server);
  const empty = await must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name: "Empty" });
  for (const each of [doc, empty]) {
    await must("PATCH", `/api/docs/${each}/access`, { delta: { users: { "ada@example.com": "owners" } } });
  }
  await must("PATCH", `/api/workspaces/${workspaceId}/access`, { delta: { users: { "ada@example.com": "owners" } } });
  await must("PATCH", `/api/orgs/team/access`, { delta: { users: { "ada@example.com": "owners" } } });
  await must("PATCH", `/api/docs/${doc}`, { name: NAME });
  // Without pages and tables.
  await must("POST", `/api/docs/${empty}/apply`, [["RemoveTable", "Table1"]]);
  const columns = [{ id: "City", fields: { type: "Text", label: "City or town" } }];
  await must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Customers", columns }] });
  const { tables } = await must<{ tables: { id: string; fields: Record<string, number> }[] }>(
    "GET",
    `/api/docs/${doc}/tables`,
  );
  const customers = tables.find(({ id }) => id === "Customers")?.fields;
  const listed = await must<{ columns: { id: string; fields: { colRef: number } }[] }>(
    "GET",
    `/api/docs/${doc}/tables/Customers/columns`,
  );
  const city = listed.columns.find(({ id }) => id === "City")?.fields.colRef;
  await must("POST", `/api/docs/${doc}/apply`, [
    ["UpdateRecord", "_grist_Views_section", customers?.["rawViewSectionRef"], { title: "Our customers" }],
    ["CreateViewSection", customers?.["tableRef"], 0, "record", [city], null],
  ]);
  const [form] = await must<{ retValues: { sectionRef: number; viewRef: number }[] }>(
    "POST",
    `/api/docs/${doc}/apply`,
    [["CreateViewSection", customers?.["tableRef"], 0, "form", null, null]],
  ).then(({ retValues }) => retValues);
  const path = `/docs/${doc}`;
  const pages: readonly (readonly [route: string, path: string, title: string, visitor?: Visitor])[] = [
    ["/", "/", "Documents"],
    ["/", "/o/team/", "Documents – Team"],
    ["/", "/?q=stock", "stock – Documents"],
    ["/admin", "/admin", "Overview – Administration"],
    ["/admin/users", "/admin/users", "Users – Administration"],
    ["/admin/users/add", "/admin/users/add", "Add user – Administration"],
    ["/admin/users/:userId{[0-9]{1,15}}", `/admin/users/${userId}`, "Ada – Administration"],
    ["/admin/groups", "/admin/groups", "Groups – Administration"],
    ["/admin/groups/:groupId{[0-9]{1,15}}", `/admin/groups/${groupId}`, "Crew – Administration"],
    ["/admin/providers", "/admin/providers", "Sign-in – Administration"],
    ["/admin/jobs", "/admin/jobs", "Jobs – Administration"],
    ["/admin/documents", "/admin/documents", "Documents – Administration"],
    ["/admin/audit", "/admin/audit", "Audit log – Administration"],
    ["/admin/errors", "/admin/errors", "Errors – Administration"],
    ["/admin/backups", "/admin/backups", "Backups – Administration"],
    ["/admin/email", "/admin/email", "Email – Administration"],
    ["/admin/settings", "/admin/settings", "Settings – Administration"],
    ["/first-run", "/first-run", "Setup is complete", stranger],
    ["/forms/:key/:section", "/forms/unknown/1", "Form", stranger],
    ["/help", "/help", "Help"],
    ["/help", "/help?q=webhook", "webhook – Search help"],
    ["/help/:page", "/help/webhooks", "Webhooks – Help"],
    ["/invitation", "/invitation?token=x", "This invitation has expired", stranger],
    ["/profile", "/profile", "Profile"],
    ["/profile/security", "/profile/security", "Security"],
    ["/reference", "/reference", "API reference"],
    ["/reference/:group", "/reference/records", "Records – API reference"],
    ["/reset-password", "/reset-password?token=x", "This link has expired", stranger],
    ["/sign-in", "/sign-in", "Sign in", stranger],
    ["/sign-in/link", "/sign-in/link?token=x", "This link does not work", stranger],
    ["/trash", "/trash", "Trash"],
    ["/sites/:org/sharing", "/sites/team/sharing", "Sharing – Team"],
    ["/workspaces/:workspaceId", `/workspaces/${workspaceId}`, "Work"],
    ["/workspaces/:workspaceId/sharing", `/workspaces/${workspaceId}/sharing`, "Sharing – Work"],
    ["/docs/:docId/sharing", `${path}/sharing`, `Sharing – ${NAME}`],
    ["/docs/:docId/pages/:viewId{[0-9]{1,9}}", `${path}/pages/1`, `Table1 – ${NAME}`],
    ["/docs/:docId", `/docs/${empty}`, "Tables – Empty"],
    ["/docs/:docId/tables/:tableId", `${path}/tables/Our_customers`, `Our customers – ${NAME}`],
    [
      "/docs/:docId/tables/:tableId",
      `${path}/tables/Our_customers_summary_City`,
      `Our customers by City or town – ${NAME}`,
    ],
    ["/docs/:docId/code", `${path}/code`, `API – ${NAME}`],
    ["/docs/:docId/forms/:section", `${path}/forms/${form?.sectionRef}`, `Form – ${NAME}`],
    [
      "/docs/:docId/forms/:section{[0-9]{1,9}}/edit",
      `${path}/forms/${form?.sectionRef}/edit`,
      `Edit form Our customers – ${NAME}`,
    ],
    ["/docs/:docId/pages/:viewId{[0-9]{1,9}}", `${path}/pages/${form?.viewRef}`, `New page – ${NAME}`],
    ["/docs/:docId/history", `${path}/history`, `History – ${NAME}`],
    ["/docs/:docId/history/:state", `${path}/history/1`, `State 1 – ${NAME}`],
    ["/docs/:docId/settings", `${path}/settings`, `Settings – ${NAME}`],
    ["/docs/:docId/sql", `${path}/sql`, `SQL – ${NAME}`],
    ["/docs/:docId/webhooks", `${path}/webhooks`, `Webhooks – ${NAME}`],
  ];
  const found: (readonly [string, string])[] = [];
  for (const [, at, , visitor = ada] of pages) {
    const { html } = await visitor.get(at);
    found.push([at, unescaped(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? "")]);
  }
  expect(found).toEqual(pages.map(([, at, title]) => [at, `${title} · Quern`]));
  expect(new Set(pages.map(([, , title]) => title)).size).toBe(pages.length);
  const routes = PAGE_CLASSES.filter(([method, route]) => method === "GET" && !NO_PAGES.has(route));
  expect(new Set(pages.map(([route]) => route))).toEqual(new Set(routes.map(([, route]) => route)));
});

const unescaped = (html: string): string =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll("&amp;", "&");
