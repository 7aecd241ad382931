import { z } from "../common/schema.ts";
import { requiredTime } from "../common/fields.ts";

export const ServiceAccountParams = z.object({
  accountId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The service account's id.", example: 7 }),
});

const text = (description: string) => z.string().max(10_000).optional().openapi({ description });

const expiresAt = requiredTime.openapi({ description: "When the account expires. A time in the past is allowed." });

export const NewServiceAccount = z
  .strictObject({
    label: text("A short name."),
    description: text("A description of the account's purpose."),
    expiresAt,
  })
  .openapi("NewServiceAccount");
export type NewServiceAccount = z.infer<typeof NewServiceAccount>;

export const ServiceAccountChange = z
  .strictObject({
    label: text("The new label. Empty: unchanged."),
    description: text("The new description. Empty: unchanged."),
    expiresAt: expiresAt.optional(),
  })
  .openapi("ServiceAccountChange");
export type ServiceAccountChange = z.infer<typeof ServiceAccountChange>;

export const ServiceAccount = z
  .object({
    id: z.int(),
    login: z.string().openapi({ description: "The address for sharing with the account." }),
    label: z.string(),
    description: z.string(),
    expiresAt: z.string().openapi({ format: "date-time" }),
    hasValidKey: z.boolean(),
  })
  .openapi("ServiceAccount");
export type ServiceAccount = z.infer<typeof ServiceAccount>;

export const ServiceAccountWithKey = ServiceAccount.extend({
  key: z.string().openapi({ description: "The API key. It cannot be retrieved later." }),
}).openapi("ServiceAccountWithKey");
export type ServiceAccountWithKey = z.infer<typeof ServiceAccountWithKey>;

export const ServiceAccounts = z.array(ServiceAccount).openapi("ServiceAccounts");
