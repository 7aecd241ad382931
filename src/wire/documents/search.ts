import { z } from "../common/schema.ts";
import { time } from "../common/fields.ts";
import { DocumentSummary } from "./documents.ts";

const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 20;

export const SearchQuery = z.object({
  q: z
    .string()
    .max(200)
    .regex(/\S/, "must contain a word")
    .openapi({ description: "Words, all of which must occur, without regard to case and accents.", example: "lamp" }),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, "must be a positive integer")
    .default(String(DEFAULT_RESULTS))
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_RESULTS, `must be from 1 to ${MAX_RESULTS}`)
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: MAX_RESULTS,
      description: `Maximum number of results, at most ${MAX_RESULTS}. Default: ${DEFAULT_RESULTS}.`,
      example: 10,
    } as never),
});

export const SearchResults = z
  .object({
    results: z.array(
      z.object({
        table: z.string(),
        tableTitle: z.string().openapi({ example: "Orders 2026" }),
        row: z.int(),
        column: z.string().openapi({ description: "The column with the best match." }),
        columnLabel: z.string().openapi({ example: "Order no" }),
        label: z
          .string()
          .openapi({ description: "The first text, number or date of the record.", example: "2026-0012" }),
        excerpt: z.string().openapi({ description: "The text around the match.", example: "…a lamp for the desk" }),
        score: z.int().openapi({ description: "How well the record matches. Depends on this record alone." }),
      }),
    ),
    isComplete: z
      .boolean()
      .openapi({ description: "False if the search ended after 10 s; the results are then the best until there." }),
  })
  .openapi("SearchResults");

export const FoundDocument = DocumentSummary.pick({
  id: true,
  uuid: true,
  name: true,
  urlId: true,
  access: true,
  updatedAt: true,
})
  .extend({
    workspace: z.object({ id: z.int(), name: z.string() }),
    site: z.object({ id: z.int(), name: z.string(), domain: z.string() }),
  })
  .openapi("FoundDocument");
export type FoundDocument = z.infer<typeof FoundDocument>;

export const FoundDocuments = z.object({ documents: z.array(FoundDocument) }).openapi("FoundDocuments");

export const RecentDocument = FoundDocument.extend({
  isPinned: z.boolean(),
  sizeBytes: DocumentSummary.shape.sizeBytes,
  openedAt: time.openapi({ description: "When the caller last opened a page of the document." }),
}).openapi("RecentDocument");
export type RecentDocument = z.infer<typeof RecentDocument>;

export const RecentDocuments = z.object({ documents: z.array(RecentDocument) }).openapi("RecentDocuments");
