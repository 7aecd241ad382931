import { expect, test } from "bun:test";
import { createLog } from "../../../src/lib/observability/log.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { listRecentProblems } from "../../../src/services/administration/recent-problems.ts";
import { addUser } from "../../../src/services/accounts/users.ts";
import { testApp } from "../../helpers/app.ts";

test("only administrators can read the latest warnings and errors, newest first", async () => {
  const log = createLog({ level: "error", write() {} });
  await using server = await testApp({ log });
  const { ctx } = server.app;
  await addUser(ctx, { email: "ada@example.com", name: "Ada", isAdmin: true });
  const as = (email: string) => guardSignedIn(actorForCommand(ctx, email));
  log.warn("odd", { n: 1 });
  log.error("bad", { n: 2 });
  const told = listRecentProblems(ctx, as("ada@example.com"));
  expect(told.slice(0, 2)).toMatchObject([
    { level: "error", event: "bad", fields: { n: 2 } },
    { level: "warn", event: "odd", fields: { n: 1 } },
  ]);
  expect(() => listRecentProblems(ctx, as("olga@example.com"))).toThrow(expect.objectContaining({ code: "forbidden" }));
});
