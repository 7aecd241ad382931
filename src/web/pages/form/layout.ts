/** Reads the layout of a form: a tree of boxes, which other programs write as well. Unknown boxes show their content. */
import { type DrawnBox, drawnBoxes } from "../../../lib/forms/drawn-boxes.ts";
import { markdownTokens } from "../../../lib/markdown/markdown-tokens.ts";
import type { OpenForm } from "../../../services/forms/forms.ts";
import { MARKDOWN_TAGS, type MarkdownToken } from "../../../wire/documents/markdown.ts";
import { leafOf, LINE_TEXT, MAX_FIRST_FIELDS, parseFormLayout } from "../../base/views/form-layout.ts";
import { createQuestion, type Question } from "./questions.ts";

export type Alignment = "left" | "center" | "right";

export type FormNode =
  | { readonly kind: "section" | "columns"; readonly children: readonly FormNode[] }
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "text"; readonly tokens: readonly MarkdownToken[]; readonly alignment: Alignment }
  /** An empty column. */
  | { readonly kind: "gap" }
  | { readonly kind: "submit" };

export interface FormLayout {
  readonly nodes: readonly FormNode[];
  /** All questions, also hidden ones, in their order. */
  readonly questions: readonly Question[];
  /** Text of the button; empty when there is none. */
  readonly submitText: string;
  /** Markdown of the page after an answer; empty when there is none. */
  readonly successText: string;
  /** Where to go after an answer; `{{ID}}` represents the id of the new row. Empty when there is no address. */
  readonly successUrl: string;
  readonly offersAnother: boolean;
}

/** What a layout is made of. */
export type FormParts = Pick<OpenForm, "formLayoutSpec" | "formFieldsById">;

const MAX_TEXT_LENGTH = 20_000;

/** Returns the layout of a form. Each question is asked once, and there is one button to send the form. */
export function readLayout({ formLayoutSpec, formFieldsById }: FormParts): FormLayout {
  const reader = new LayoutReader(formFieldsById);
  const root = parseFormLayout(formLayoutSpec);
  const nodes = root ? reader.readBoxes(drawnBoxes(root)) : reader.readFirstFields();
  if (!reader.hasSubmit) nodes.push({ kind: "submit" });
  return {
    nodes,
    questions: reader.questions,
    submitText: textOf(root?.["submitText"]).trim(),
    successText: textOf(root?.["successText"]).slice(0, MAX_TEXT_LENGTH),
    successUrl: textOf(root?.["successURL"]).trim(),
    offersAnother: root?.["anotherResponse"] === true,
  };
}

class LayoutReader {
  readonly questions: Question[] = [];
  hasSubmit = false;
  readonly #fields: FormParts["formFieldsById"];
  readonly #columns = new Set<string>();

  constructor(fields: FormParts["formFieldsById"]) {
    this.#fields = fields;
  }

  readBoxes(boxes: readonly DrawnBox[]): FormNode[] {
    return boxes.flatMap((drawn) => this.#readBox(drawn));
  }

  /** For forms without a layout. */
  readFirstFields(): FormNode[] {
    return Object.keys(this.#fields)
      .slice(0, MAX_FIRST_FIELDS)
      .flatMap((id) => this.#readField(id));
  }

  #readBox({ box, children }: DrawnBox): FormNode[] {
    switch (box.type) {
      case "Section":
        return [{ kind: "section", children: this.readBoxes(children) }];
      case "Columns":
        return [{ kind: "columns", children: this.readBoxes(children) }];
      case "Placeholder":
        return [{ kind: "gap" }];
      case "Field":
        return this.#readField(String(leafOf(box)));
      case "Paragraph":
      case "Label":
      case "Header":
        return readText(textOf(box["text"]), box["alignment"]);
      case "Separator":
        return readText(textOf(box["text"]) || LINE_TEXT, box["alignment"]);
      case "Submit":
        if (this.hasSubmit) return [];
        this.hasSubmit = true;
        return [{ kind: "submit" }];
      default:
        return this.readBoxes(children);
    }
  }

  #readField(id: string): FormNode[] {
    const field = Object.hasOwn(this.#fields, id) ? this.#fields[id] : undefined;
    if (!field || this.#columns.has(field.colId)) return [];
    this.#columns.add(field.colId);
    const question = createQuestion(id, field);
    this.questions.push(question);
    return question.isHidden ? [] : [{ kind: "question", question }];
  }
}

function readText(text: string, alignment: unknown): FormNode[] {
  const tokens = markdownTokens(text.slice(0, MAX_TEXT_LENGTH), MARKDOWN_TAGS);
  if (tokens.length === 0) return [];
  return [{ kind: "text", tokens, alignment: alignment === "center" || alignment === "right" ? alignment : "left" }];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
