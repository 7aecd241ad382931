import { expect, test } from "bun:test";
import { changePassword } from "../../../src/services/accounts/sign-in.ts";
import { createReset, resetPassword } from "../../../src/services/accounts/password-resets.ts";
import { inviteUser } from "../../../src/services/invitations/invitations.ts";
import { signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { upload } from "../../helpers/attachments.ts";
import { USERS } from "../../helpers/app.ts";
import { BROWSER, errorCodeOf, grantOf } from "../../helpers/users.ts";
import { auditScene } from "./scene.ts";

const SECRETS = {
  password: "planted-password-1",
  laterPassword: "planted-password-2",
  wrongPassword: "planted-wrong-password",
  unknownAccount: "planted-account@example.com",
  cell: "planted-cell",
  changedCell: "planted-changed-cell",
  attachment: "planted-content-of-a-file",
  webhookPath: "planted-path",
  webhookQuery: "planted-query",
  authorization: "planted-authorization",
  condition: "planted-condition",
  endUser: "planted-end-user@app.example",
} as const;

test("no entry contains a password, key, token, cell value, condition, path of a webhook or unknown account", async () => {
  await using scene = await auditScene({ flags: { "webhook-allow": "hooks.example.com" } });
  const { ctx, must, doc, server } = scene;
  const owner = () => grantOf(ctx, USERS.owner.email);
  const planted: string[] = [...Object.values(SECRETS), ...Object.values(server.keys)];
  const failed = (email: string, password: string) => errorCodeOf(() => signIn(ctx, { ...BROWSER, email, password }));

  await changePassword(ctx, owner(), { newPassword: SECRETS.password, currentToken: null });
  const change = { current: SECRETS.wrongPassword, newPassword: SECRETS.laterPassword, currentToken: null };
  await errorCodeOf(() => changePassword(ctx, owner(), change));
  expect(await failed(USERS.owner.email, SECRETS.wrongPassword)).toBe("unauthenticated");
  expect(await failed(SECRETS.unknownAccount, SECRETS.wrongPassword)).toBe("unauthenticated");
  const reset = createReset(ctx, owner(), scene.idOf("editor")).token;
  const step = await resetPassword(ctx, { token: reset, password: SECRETS.laterPassword, name: "" }, BROWSER);
  planted.push(reset, step.kind === "session" ? step.session.token : step.pending);
  planted.push(inviteUser(ctx, owner(), { email: "invited@example.com" }).token);

  const { key } = await must<{ key: string }>("POST", "/api/profile/keys", { label: "Script" });
  const endUser = { email: SECRETS.endUser, role: "viewers", expiresIn: 60 };
  const { token } = await must<{ token: string }>("POST", `${doc}/tokens`, endUser);
  planted.push(key, token);

  await must("POST", `${doc}/tables`, { tables: [{ id: "Goods", columns: [{ id: "Name" }] }] });
  await must("POST", `${doc}/tables/Goods/records`, { records: [{ fields: { Name: SECRETS.cell } }] });
  await must("PATCH", `${doc}/tables/Goods/records`, { records: [{ id: 1, fields: { Name: SECRETS.changedCell } }] });
  const files = [{ name: "notes.txt", content: SECRETS.attachment }];
  expect((await upload(server, { doc: scene.uuid, files })).status).toBe(200);
  for (const path of ["download", "download/csv?tableId=Goods", "download/xlsx", "attachments/archive?format=tar"])
    await must("GET", `${doc}/${path}`);
  const fields = {
    url: `https://hooks.example.com/${SECRETS.webhookPath}?key=${SECRETS.webhookQuery}`,
    authorization: `Bearer ${SECRETS.authorization}`,
    tableId: "Goods",
    eventTypes: ["add"],
  };
  const { webhooks } = await must<{ webhooks: { id: string }[] }>("POST", `${doc}/webhooks`, {
    webhooks: [{ fields }],
  });
  await must("PATCH", `${doc}/webhooks/${webhooks[0]?.id}`, { url: `${fields.url}&more=1` });
  await must("DELETE", `${doc}/webhooks/${webhooks[0]?.id}`);
  await must("POST", `${doc}/apply`, [
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "Goods", colIds: "*" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: `user.Name == "${SECRETS.condition}"`, permissionsText: "none" },
    ],
  ]);

  await ctx.audit.close();
  const entries = await scene.entries();
  const events = new Set(entries.map(({ event }) => event));
  for (const event of [
    "sign_in.failed",
    "password.change_failed",
    "password.reset",
    "invitation.created",
    "token.created",
    "key.created",
    "document.downloaded",
    "document.exported",
    "attachments.downloaded",
    "webhook.created",
    "rules.changed",
  ])
    expect(events).toContain(event);
  const text = JSON.stringify(entries).toLowerCase();
  for (const secret of planted) expect(text).not.toContain(secret.toLowerCase());
});
