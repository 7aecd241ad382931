import { z } from "@hono/zod-openapi";

export const ServiceAccountParams = z.object({
  accountId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The service account's id.", example: 7 }),
});

const text = (description: string) => z.string().max(10_000).optional().openapi({ description });

const time = z
  .string()
  .max(100)
  .refine((value) => !Number.isNaN(Date.parse(value)), "must be a date")
  .transform((value) => Date.parse(value))
  .openapi({
    type: "string",
    description: "A date or time, best in ISO form; may lie in the past.",
    example: "2030-01-01",
  });

export const NewServiceAccount = z
  .strictObject({ label: text("A short name."), description: text("What it is for."), expiresAt: time })
  .openapi("NewServiceAccount");
export type NewServiceAccount = z.infer<typeof NewServiceAccount>;

export const ServiceAccountChange = z
  .strictObject({
    label: text("Empty: left as it is."),
    description: text("Empty: left as it is."),
    expiresAt: time.optional(),
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
