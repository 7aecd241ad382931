import { z } from "@hono/zod-openapi";

/** The queries and headers of streams of events. Events themselves are texts, told in the documentation. */

const id = z
  .string()
  .regex(/^(\d{1,15}(-[0-9a-f]{1,64})?|~[\w-]{1,120})$/, "must be the id of an event or the number of a state")
  .optional();

export const EventsQuery = z.object({
  after: id.openapi({
    description: "Where to go on: the id of the last event that arrived, or the number of a state.",
    example: "42-9f8e7d6c",
  }),
});

export const EventsHeaders = z.object({
  "Last-Event-ID": id.openapi({ description: "As `after`, and before it; browsers send it by themselves." }),
});
