import type { Credentials, NewSession } from "../../src/services/accounts/sign-in.ts";
import type { Context } from "../../src/services/context.ts";
import { signIn, type SignInStep } from "../../src/services/second-factor/sign-in-steps.ts";

/** Signs in a user without a second factor. */
export const signInByPassword = async (ctx: Context, credentials: Credentials): Promise<NewSession> =>
  sessionOf(await signIn(ctx, credentials));

/** Returns the session of a step that needs no second factor. */
export function sessionOf(step: SignInStep): NewSession {
  if (step.kind !== "session") throw new Error(`the sign-in needs ${step.kind}`);
  return step.session;
}
