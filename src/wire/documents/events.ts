import { z } from "../common/schema.ts";

/** Queries and headers of event streams. The documentation describes the events, which are texts. */

const id = z
  .string()
  .regex(/^(\d{1,15}(-[0-9a-f]{1,64})?|~[\w-]{1,120})$/, "must be an event id or the number of a state")
  .optional();

export const EventsQuery = z.object({
  after: id.openapi({
    description: "Resume after this event: the id of the last event received, or the number of a state.",
    example: "42-9f8e7d6c",
  }),
});

export const EventsHeaders = z.object({
  "Last-Event-ID": id.openapi({
    description: "Like `after`, and takes precedence. Browsers send it automatically when they reconnect.",
  }),
});
