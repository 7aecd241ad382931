/** Kinds of boxes, and their names in menus and messages. */
import { type Child, dataElement, nameElement } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import type { LabelKey } from "../../../texts/texts.ts";
import { type FormBox, leafOf, LINE_TEXT } from "../../../base/views/form-layout.ts";
import { questionOf } from "../field-options.ts";
import { columnOf, type FormField, type FormState } from "../form-data.ts";

export type BoxKind = "question" | "lost" | "text" | "line" | "section" | "columns" | "gap" | "submit" | "unknown";

const KINDS: ReadonlyMap<string, BoxKind> = new Map([
  ["Paragraph", "text"],
  ["Label", "text"],
  ["Header", "text"],
  ["Separator", "line"],
  ["Section", "section"],
  ["Columns", "columns"],
  ["Placeholder", "gap"],
  ["Submit", "submit"],
]);

export const KIND_NAMES = {
  question: "formBuilder.kind.question",
  lost: "formBuilder.kind.lost",
  text: "formBuilder.kind.text",
  line: "formBuilder.kind.line",
  section: "formBuilder.kind.section",
  columns: "formBuilder.kind.columns",
  gap: "formBuilder.kind.gap",
  submit: "formBuilder.kind.submit",
  unknown: "formBuilder.kind.unknown",
} as const satisfies Record<BoxKind, LabelKey>;

/** Returns the field of a box, if its column exists and can be asked for; null for all other boxes. */
export function fieldOf(form: FormState, box: FormBox): FormField | null {
  const field = form.fields.find(({ ref }) => ref === leafOf(box));
  const column = field && columnOf(form, field);
  return field && column && !column.isComputed ? field : null;
}

export function kindOf(form: FormState, box: FormBox): BoxKind {
  if (box.type === "Field") return fieldOf(form, box) ? "question" : "lost";
  const kind = KINDS.get(box.type) ?? "unknown";
  return kind === "text" && textOf(box).trim() === LINE_TEXT ? "line" : kind;
}

export const textOf = ({ text }: FormBox): string => (typeof text === "string" ? text : "");

/** Returns the name of a box on its own. */
export function boxLabel(form: FormState, box: FormBox): Child[] {
  const field = fieldOf(form, box);
  return [field ? dataElement(questionOf(form, field)) : t(KIND_NAMES[kindOf(form, box)])];
}

/** Returns the name of a box for attributes. */
export function boxName(form: FormState, box: FormBox): string {
  const field = fieldOf(form, box);
  return field ? questionOf(form, field) : t(KIND_NAMES[kindOf(form, box)]);
}

/** Returns the name of a box in a sentence. */
export function boxInSentence(form: FormState, box: FormBox): Node {
  const field = fieldOf(form, box);
  if (field) return nameElement(questionOf(form, field));
  return document.createTextNode(t(KIND_NAMES[kindOf(form, box)]));
}
