import { isoTime } from "../../../lib/time/clock.ts";
import { describeSignIn, isFailing, testProvider } from "../../../services/administration/sign-in-methods.ts";
import { ProviderParams, ProviderStatus, SignInMethods } from "../../../wire/administration/sign-in.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

const tag = "users";

type Status = Parameters<typeof isFailing>[0];

const statusOf = (status: Status) => ({
  isFailing: isFailing(status),
  lastSuccessAt: status.lastSuccessAt === null ? null : isoTime(status.lastSuccessAt),
  lastFailure: status.lastFailure && { at: isoTime(status.lastFailure.at), error: status.lastFailure.error },
});

/** Routes of the ways to sign in, for administrators. */
export const signInRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/sign-in",
      id: "describeSignIn",
      tag,
      summary: "Describe how users sign in",
      about:
        "Whether passwords are accepted, who needs a second factor and who has none, and the single sign-on providers.",
      access: adminAccess,
      // It answers the sign-ins, and knows how providers answered.
      requestClass: "home",
      response: SignInMethods,
    },
    ({ ctx, grant }) => {
      const { providers, ...methods } = describeSignIn(ctx, grant);
      const shown = providers.map(({ scopes, allowedDomains, ...provider }) => ({
        ...provider,
        scopes: [...scopes],
        allowedDomains: [...allowedDomains],
        ...statusOf(provider),
      }));
      return jsonResponse({ ...methods, providers: shown });
    },
  ),
  route(
    {
      method: "post",
      path: "/api/sign-in/providers/{provider}/test",
      id: "testProvider",
      tag,
      summary: "Test a single sign-on provider",
      about: "Reads its discovery document now. The response says whether it can be used.",
      access: adminAccess,
      params: ProviderParams,
      isLong: true,
      idempotency: "ignored",
      response: ProviderStatus,
      further: { 404: "The settings have no provider with this name." },
    },
    async ({ ctx, grant, params }) => jsonResponse(statusOf(await testProvider(ctx, grant, params.provider))),
  ),
];
