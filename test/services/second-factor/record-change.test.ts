import { expect, test } from "bun:test";
import {
  beginAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
  removeFactors,
  replaceRecoveryCodes,
} from "../../../src/services/second-factor/factors.ts";
import { completeWithCode, signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { must } from "../../../src/lib/assert.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { codeAt, PASSWORD, signedInUser, STEP_MS } from "../../helpers/second-factor.ts";
import { BROWSER } from "../../helpers/users.ts";

test("the audit log has changes of factors and how a user signed in, without secrets", async () => {
  using ctx = homeContext();
  const email = "ann@example.com";
  const { grant, cookies } = await signedInUser(ctx, email);
  const { userId } = grant.actor;
  const add = async () => {
    const { secret, enrolment } = await beginAuthenticator(ctx, grant, cookies);
    await confirmAuthenticator(ctx, grant, { code: codeAt(secret, ctx.clock.now()), enrolment, cookies });
    ctx.clock.pass(2 * STEP_MS);
    return secret;
  };
  const secret = await add();
  const [recoveryCode = ""] = replaceRecoveryCodes(ctx, grant, cookies);
  for (const code of [codeAt(secret, ctx.clock.now()), recoveryCode]) {
    const step = await signIn(ctx, { email, password: PASSWORD, ...BROWSER });
    await completeWithCode(ctx, { pending: step.kind === "secondFactor" ? step.pending : null, code }, BROWSER);
  }
  removeAuthenticator(ctx, grant, cookies);
  await add();
  removeFactors(ctx, must(ctx.home.users.byEmail(email), "Ann"));
  const rows = ctx.home.raw.all<{ event: string; details: string; actor_id: number | null }>(
    "select event, details, actor_id from audit_entries where event in ('second_factor.changed', 'session.started') order by number",
  );
  expect(
    rows.map(({ event, details, actor_id: actor }) => [event, JSON.parse(details) as unknown, actor === userId]),
  ).toEqual([
    ["session.started", { method: "password" }, true],
    ["second_factor.changed", { change: "authenticator_added" }, true],
    ["second_factor.changed", { change: "recovery_codes_replaced" }, true],
    ["session.started", { method: "password", factor: "code" }, true],
    ["session.started", { method: "password", factor: "recovery_code" }, true],
    ["second_factor.changed", { change: "authenticator_removed" }, true],
    ["second_factor.changed", { change: "authenticator_added" }, true],
    ["second_factor.changed", { change: "reset" }, false],
  ]);
  const all = JSON.stringify(ctx.home.raw.all("select * from audit_entries"));
  for (const text of [secret, recoveryCode]) expect(all).not.toContain(text);
});
