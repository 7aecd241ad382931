import { z } from "../common/schema.ts";
import { DocParams } from "../common/params.ts";

/** Requests and responses of webhooks. */

export const WebhookParams = DocParams.extend({
  webhookId: z.string().min(1).max(200).openapi({ description: "The webhook's id." }),
});

export const DeliveryParams = WebhookParams.extend({
  deliveryId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The id of a delivery attempt." } as never),
});

/** The value of a header; excludes line breaks, which would start another header. */
const headerValue = z
  .string()
  .max(4000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "contains characters that are not allowed in a header");

/** Headers that the server sets. */
const RESERVED =
  /^(authorization|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|webhook-.*|x-quern-.*)$/i;

/** Returns a case-insensitive pattern: patterns of JSON schemas have no flags. */
const anyCase = ({ source }: RegExp): string =>
  source.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

const headerName = z
  .string()
  .max(100)
  .regex(HEADER_NAME, "is not a valid header name")
  .refine((name) => !RESERVED.test(name), "is a reserved header");

const eventTypes = z
  .array(z.enum(["add", "update", "remove"]))
  .min(1)
  .max(20)
  .openapi({
    description:
      "Events that are delivered. Removed rows are sent with their last values and the header `X-Quern-Event: remove`.",
  });

const optional = {
  name: z.string().max(1000).nullish(),
  memo: z.string().max(10_000).nullish(),
  enabled: z.boolean().optional(),
  isReadyColumn: z.string().max(1000).nullish().openapi({
    description: "Only deliver rows in which this column is true. A row that becomes ready counts as added.",
  }),
  authorization: headerValue.optional().openapi({ description: "Value of the `Authorization` header." }),
  headers: z
    .record(headerName, headerValue)
    .optional()
    .openapi({
      description: "Additional headers of each delivery.",
      propertyNames: { maxLength: 100, pattern: HEADER_NAME.source, not: { pattern: anyCase(RESERVED) } },
    } as never),
  watchedColIds: z.array(z.string().max(1000)).max(1000).optional().openapi({
    description: "Deliver updates only if one of these columns changed. Empty texts are ignored. Default: all columns.",
  }),
};

const more = {
  filter: z
    .record(z.string().max(1000), z.unknown())
    .nullish()
    .openapi({
      description:
        "Only deliver rows that this filter selects, as of `GET …/records`. A row that it begins to select counts as " +
        "added. Paths follow references to the present rows of other tables.",
      example: { Qty: { gt: 3 } },
    }),
  includeEvent: z
    .boolean()
    .optional()
    .openapi({
      description:
        "Add `$event` to each row: `type` (`add`, `update` or `remove`), and `user` (`id`, `name`, `email`) who made the " +
        "change, or null for the server.",
    }),
  includeOld: z
    .boolean()
    .optional()
    .openapi({ description: "Add `$event` with `old` to each row: the previous values of the columns that changed." }),
};

const required = {
  url: z.string().max(4000).openapi({ example: "https://example.com/hook" }),
  eventTypes,
  tableId: z.string().max(1000).openapi({ example: "Orders" }),
};

const newFields = z.object({ ...optional, ...more, ...required });
export type WebhookFields = z.infer<typeof newFields>;

export const WebhooksCreate = z
  .object({ webhooks: z.array(z.object({ fields: newFields })).max(200) })
  .openapi("WebhooksCreate");
export type WebhooksCreate = z.infer<typeof WebhooksCreate>;

export const WebhooksCreated = z
  .object({
    webhooks: z.array(
      z.object({
        id: z.string(),
        secret: z.string().optional().openapi({
          description: "The signing secret of deliveries. Present with `secrets`; it cannot be retrieved later.",
        }),
      }),
    ),
  })
  .openapi("WebhooksCreated");
export type WebhooksCreated = z.infer<typeof WebhooksCreated>;

export const WebhookChange = newFields.partial().openapi("WebhookChange");
export type WebhookChange = z.infer<typeof WebhookChange>;

export const WebhookSubscription = newFields.omit({ tableId: true }).openapi("WebhookSubscription");
export type WebhookSubscription = z.infer<typeof WebhookSubscription>;

export const WebhookSubscribed = z
  .object({ unsubscribeKey: z.string(), triggerId: z.int(), webhookId: z.string() })
  .openapi("WebhookSubscribed");
export type WebhookSubscribed = z.infer<typeof WebhookSubscribed>;

export const WebhookUnsubscription = z
  .object({
    webhookId: z.string().max(200).optional().openapi({ description: "The id of the webhook to delete." }),
    unsubscribeKey: z.string().max(1000).optional().openapi({ description: "Required for editors." }),
  })
  .openapi("WebhookUnsubscription");
export type WebhookUnsubscription = z.infer<typeof WebhookUnsubscription>;

export const Success = z.object({ success: z.literal(true) }).openapi("Success");

const time = z.number().nullish().openapi({ description: "Milliseconds since the epoch; null for never." });

const WebhookUsage = z
  .object({
    numWaiting: z.int(),
    status: z.enum(["idle", "sending", "retrying", "postponed", "error", "invalid"]),
    updatedTime: z.number().optional(),
    lastSuccessTime: time,
    lastFailureTime: time,
    lastErrorMessage: z.string().nullish(),
    lastHttpStatus: z.int().nullish(),
    lastEventBatch: z
      .object({
        size: z.int(),
        attempts: z.int(),
        errorMessage: z.string().nullable(),
        httpStatus: z.int().nullable(),
        status: z.enum(["success", "failure", "rejected"]),
      })
      .nullable(),
    numDropped: z.int().optional().openapi({ description: "Number of events dropped because the queue was full." }),
  })
  .openapi("WebhookUsage");

export const Webhooks = z
  .object({
    webhooks: z.array(
      z.object({
        id: z.string(),
        fields: z.object({
          ...required,
          eventTypes: z.array(z.string()),
          name: z.string().nullable(),
          memo: z.string().nullable(),
          enabled: z.boolean(),
          isReadyColumn: z.string().nullable(),
          watchedColIds: z.array(z.string()),
          authorization: z.string(),
          headers: z.record(z.string(), z.string()).optional(),
          unsubscribeKey: z.string(),
          filter: z.record(z.string(), z.unknown()).optional().openapi({ description: "Present if there is one." }),
          includeEvent: z.boolean().optional(),
          includeOld: z.boolean().optional(),
        }),
        usage: WebhookUsage,
      }),
    ),
  })
  .openapi("Webhooks");
export type Webhooks = z.infer<typeof Webhooks>;

export const WebhookSecret = z.object({ secret: z.string() }).openapi("WebhookSecret");
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const WebhookDelivery = z
  .object({
    id: z.int(),
    messageId: z.string().openapi({ description: "The header `webhook-id`, equal for all attempts of a delivery." }),
    time: z.string().openapi({ description: "Time of the attempt; ISO 8601, UTC." }),
    durationMs: z.number(),
    size: z.int().openapi({ description: "Number of rows." }),
    attempt: z.int().openapi({ description: "Number of the attempt, from 1." }),
    status: z.enum(["success", "failure"]),
    httpStatus: z.int().nullable(),
    errorMessage: z.string().nullable(),
  })
  .openapi("WebhookDelivery");
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveries = z.object({ deliveries: z.array(WebhookDelivery) }).openapi("WebhookDeliveries");
export type WebhookDeliveries = z.infer<typeof WebhookDeliveries>;

export const WebhookDeliveryContent = WebhookDelivery.extend({
  event: z
    .enum(["rows", "removed"])
    .openapi({ description: "`removed` for removed rows, `rows` for added and updated rows." }),
  body: z.string().openapi({ description: "The request body, a JSON array of rows." }),
  answer: z.string().nullable().openapi({
    description: "The response body, truncated if it is long; null if unknown.",
  }),
}).openapi("WebhookDeliveryContent");
export type WebhookDeliveryContent = z.infer<typeof WebhookDeliveryContent>;

export const WebhookSendResult = z
  .object({
    success: z.boolean(),
    messageId: z.string(),
    httpStatus: z.int().nullable(),
    answer: z.string().openapi({ description: "The response body, truncated if it is long." }),
    errorMessage: z.string().nullable(),
    durationMs: z.number(),
  })
  .openapi("WebhookAnswer");
export type WebhookSendResult = z.infer<typeof WebhookSendResult>;
