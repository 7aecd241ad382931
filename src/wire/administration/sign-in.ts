import { time } from "../common/fields.ts";
import { z } from "../common/schema.ts";

const status = {
  lastSuccessAt: time
    .nullable()
    .openapi({ description: "When the provider last answered as expected since the server started." }),
  lastFailure: z
    .object({ at: time, error: z.string() })
    .nullable()
    .openapi({ description: "The last failure since the server started." }),
};

export const ProviderStatus = z.object({ isFailing: z.boolean(), ...status }).openapi("ProviderStatus");

export const SignInMethods = z
  .object({
    acceptsPasswords: z.boolean(),
    requiredSecondFactor: z.enum(["off", "admins", "on"]).openapi({
      description: "Users who need a second factor with a password: none (`off`), administrators, or all users (`on`).",
    }),
    people: z.int().openapi({ description: "People who can sign in: not disabled, and not only invited." }),
    withoutSecondFactor: z.int(),
    providers: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        issuer: z.string(),
        clientId: z.string(),
        hasSecret: z.boolean(),
        scopes: z.array(z.string()),
        allowedDomains: z.array(z.string()),
        createUsers: z.boolean(),
        trustEmail: z.boolean(),
        groupsClaim: z.string().nullable(),
        isFailing: z.boolean(),
        ...status,
      }),
    ),
  })
  .openapi("SignInMethods");

export const ProviderParams = z.object({
  provider: z.string().min(1).max(100).openapi({ description: "The name of the provider.", example: "keycloak" }),
});
