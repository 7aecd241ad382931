import { z } from "../common/schema.ts";

/** Limits of one request. */
export const MAX_TEXTS = 200;
export const MAX_TEXT_LENGTH = 20_000;
export const MAX_TOTAL_LENGTH = 200_000;

export const MARKDOWN_TAGS = [
  "a",
  "blockquote",
  "br",
  "code",
  "em",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "li",
  "ol",
  "p",
  "pre",
  "s",
  "strong",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
] as const;

export const MarkdownToken = z
  .object({
    text: z.string().optional().openapi({ description: "A text, to be shown as it is." }),
    open: z.enum(MARKDOWN_TAGS).optional().openapi({ description: "An element begins." }),
    close: z.enum(MARKDOWN_TAGS).optional().openapi({ description: "The element ends." }),
    href: z.string().optional().openapi({ description: "Address of a link: http, https or mailto." }),
  })
  .openapi("MarkdownToken");
export type MarkdownToken = z.infer<typeof MarkdownToken>;

export const MarkdownBody = z
  .object({
    texts: z
      .array(z.string().max(MAX_TEXT_LENGTH))
      .max(MAX_TEXTS)
      .refine((texts) => texts.reduce((sum, { length }) => sum + length, 0) <= MAX_TOTAL_LENGTH, {
        message: `must have at most ${MAX_TOTAL_LENGTH} characters together`,
      })
      .openapi({
        description: `Texts in Markdown: at most ${MAX_TEXTS}, each of at most ${MAX_TEXT_LENGTH} characters, together ${MAX_TOTAL_LENGTH}.`,
        example: ["**Fragile**, see [packing](https://quern.example/packing)"],
      }),
  })
  .openapi("MarkdownBody");

export const MarkdownResult = z
  .object({
    texts: z.array(z.array(MarkdownToken)).openapi({ description: "The tokens of each text, in the same order." }),
  })
  .openapi("MarkdownResult");
