import { z } from "../common/schema.ts";
import { DocParams } from "../common/params.ts";

/** Requests and responses of personal views of sections. */

export const SectionParams = DocParams.extend({
  section: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a positive integer")
    .transform(Number)
    .openapi({ type: "integer", description: "Row id of the section in `_grist_Views_section`.", example: 12 }),
});

const part = (maxLength: number, description: string, example: string) =>
  z.string().max(maxLength).optional().openapi({ description, example });

/** All parts are texts, as in the address of the page. */
export const PersonalView = z
  .object({
    filter: part(20_000, "A filter in the grammar of the API, as JSON.", '{"12": {"gt": 100}}'),
    sort: part(1000, "Columns, with `-` for descending, and options after `:`.", "-12,14:naturalSort"),
    group: part(
      1000,
      "At most three columns; dates with `:day`, `:week`, `:month`, `:quarter` or `:year`.",
      "14:month",
    ),
    totals: part(5000, "Totals of columns.", "12:sum"),
    hide: part(20_000, "Columns that are not shown.", "15"),
    order: part(20_000, "Columns in their order.", "14,12"),
    width: part(20_000, "Widths of columns in pixels.", "12:200"),
    freeze: part(10, "How many columns do not scroll.", "1"),
    lines: part(10, "Lines of each row.", "2"),
    pin: part(5000, "Columns whose filters stay when they have no value.", "12"),
  })
  .openapi("PersonalView", {
    description:
      "The parts that differ from the section; others are those of the section. Columns are named by their row ids.",
  });
export type PersonalView = z.infer<typeof PersonalView>;

export const FoundPersonalView = z
  .object({ view: PersonalView.nullable().openapi({ description: "Null without a personal view." }) })
  .openapi("FoundPersonalView");
