import type { KeyRestrictions } from "../../src/authorization.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { insertKey } from "../../src/services/accounts/keys.ts";
import { type GivenLimits, storedLimits } from "../../src/services/keys/limits.ts";
import { type TestApp, type UserName, USERS } from "./app.ts";

let count = 0;

/** Creates a key of a user with limits, and returns it. */
export function limitedKey({ app }: TestApp, user: UserName, limits: Partial<GivenLimits>): string {
  const { userId } = actorForCommand(app.ctx, USERS[user].email);
  const stored = storedLimits({ scopes: null, restrictions: null, networks: null, ...limits });
  return app.ctx.home.transaction(() => insertKey(app.ctx, userId, { label: `limited ${count++}`, limits: stored }));
}

/** The restrictions of a key that reaches nothing. */
export const NOWHERE: KeyRestrictions = { sites: [], workspaces: [], documents: [], tables: {} };
