/** The templates that documents start from, as the page offers them. */
import type { DocumentCreate } from "../../../wire/documents/documents.ts";
import type { LabelKey } from "../../texts/texts.ts";

export type TemplateName = NonNullable<DocumentCreate["template"]>;

/** The title is also the name of the new document. */
export const TEMPLATE_TEXTS: Readonly<Record<TemplateName, { readonly title: LabelKey; readonly hint: LabelKey }>> = {
  "order-book": { title: "home.start.orderBook", hint: "home.start.orderBook.hint" },
  tasks: { title: "home.start.tasks", hint: "home.start.tasks.hint" },
};

export const TEMPLATE_NAMES = Object.keys(TEMPLATE_TEXTS) as readonly TemplateName[];

export const isTemplateName = (name: string): name is TemplateName => Object.hasOwn(TEMPLATE_TEXTS, name);
