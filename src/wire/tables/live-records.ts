import { z } from "../common/schema.ts";
import { FetchRecordsQuery } from "./record-responses.ts";

/** The query and headers of live queries. The documentation describes the events, which are texts. */

const id = z
  .string()
  .regex(/^[\w.~-]{1,300}$/, "must be the id of an event")
  .optional();

export const LiveRecordsQuery = FetchRecordsQuery.pick({
  filter: true,
  fields: true,
  expand: true,
  cellFormat: true,
  hidden: true,
}).extend({
  after: id.openapi({
    description: "Resume after this event: the id of the last event received.",
    example: "42-9f8e7d6c.5e884898da28",
  }),
});

export const LiveRecordsHeaders = z.object({
  "Last-Event-ID": id.openapi({ description: "Like `after`, and takes precedence." }),
});
