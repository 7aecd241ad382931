import { z } from "../common/schema.ts";

/** The sessions of a user. */
export const ListedSessions = z
  .object({
    sessions: z.array(
      z.object({
        id: z.string(),
        browser: z.string().nullable().openapi({ description: "Null if it is unknown.", example: "Firefox" }),
        os: z.string().nullable().openapi({ description: "Null if it is unknown.", example: "Windows" }),
        address: z
          .string()
          .nullable()
          .openapi({ description: "The network address that the browser signed in from.", example: "192.0.2.1" }),
        createdAt: z.string(),
        lastUsedAt: z.string().openapi({ description: "Up to an hour old." }),
        isCurrent: z.boolean().openapi({ description: "Whether the request belongs to this session." }),
      }),
    ),
  })
  .openapi("ListedSessions");
export type ListedSessions = z.infer<typeof ListedSessions>;

export const SessionParams = z.object({
  sessionId: z.string().openapi({ description: "The `id` of the session in the list.", example: "5f1c0b7d2a9e4c38" }),
});

export const SessionsEnded = z.object({ success: z.literal(true) }).openapi("SessionsEnded");
