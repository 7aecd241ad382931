import { z } from "@hono/zod-openapi";
import { requiredTime } from "../common/fields.ts";

export const ServiceAccountParams = z.object({
  accountId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The service account's id.", example: 7 }),
});

const text = (description: string) => z.string().max(10_000).optional().openapi({ description });

const expiresAt = requiredTime.openapi({ description: "May lie in the past." });

export const NewServiceAccount = z
  .strictObject({ label: text("A short name."), description: text("What it is for."), expiresAt })
  .openapi("NewServiceAccount");
export type NewServiceAccount = z.infer<typeof NewServiceAccount>;

export const ServiceAccountChange = z
  .strictObject({
    label: text("Empty: left as it is."),
    description: text("Empty: left as it is."),
    expiresAt: expiresAt.optional(),
  })
  .openapi("ServiceAccountChange");
export type ServiceAccountChange = z.infer<typeof ServiceAccountChange>;

export const ServiceAccount = z
  .object({
    id: z.int(),
    login: z.string().openapi({ description: "The address it is shared with by." }),
    label: z.string(),
    description: z.string(),
    expiresAt: z.string().openapi({ format: "date-time" }),
    hasValidKey: z.boolean(),
  })
  .openapi("ServiceAccount");
export type ServiceAccount = z.infer<typeof ServiceAccount>;

export const ServiceAccountWithKey = ServiceAccount.extend({
  key: z.string().openapi({ description: "The API key, shown this one time." }),
}).openapi("ServiceAccountWithKey");
export type ServiceAccountWithKey = z.infer<typeof ServiceAccountWithKey>;

export const ServiceAccounts = z.array(ServiceAccount).openapi("ServiceAccounts");
