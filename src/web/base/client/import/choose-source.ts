import { h, icon } from "../dom.ts";
import { clearFieldErrors, formText, inputField, showFieldError } from "../form-field.ts";
import { announce } from "../announce.ts";
import { t } from "../texts.ts";
import type { ImportSource } from "./import-target.ts";

export const TABLE_FILES = ".csv,.tsv,.txt,.json,.ndjson,.jsonl,.xlsx,.xlsm,.gz";

/** Shows the ways to name a file: choose, drop, paste, or an address. */
export function chooseSource(choose: (source: ImportSource) => void): HTMLElement {
  const input = h("input", { type: "file", accept: TABLE_FILES, hidden: true, tabindex: -1, "aria-hidden": "true" });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) choose({ file });
    input.value = "";
  });
  const button = h(
    "button",
    { type: "button", "data-autofocus": "", onclick: () => input.click() },
    icon("upload"),
    t("import.choose"),
  );
  return h(
    "div",
    { class: "import-choose" },
    h("div", { class: "import-drop" }, button, input, h("p", { class: "hint" }, t("import.choose.hint"))),
    addressForm(choose),
  );
}

function addressForm(choose: (source: ImportSource) => void): HTMLFormElement {
  const attributes = { name: "url", type: "url", inputmode: "url", placeholder: t("import.address.placeholder") };
  const form = h(
    "form",
    { novalidate: true },
    inputField(t("import.address"), { ...attributes, maxlength: 2000, translate: "no" }),
    h("p", { class: "hint" }, t("import.address.hint")),
    h("button", { class: "plain" }, t("import.address.read")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearFieldErrors(form);
    const url = formText(new FormData(form), "url");
    if (/^https?:\/\/[^/]/i.test(url)) choose({ url });
    else showFieldError(form, "url", t("import.address.invalid"));
  });
  return form;
}

/** A pasted text is read as a file with a row per line. */
const pastedFile = (text: string): File => new File([text], `${t("import.pasted")}.tsv`, { type: "text/plain" });

/** Takes files that are dropped on an element, and files and texts that are pasted. Returns a function that ends it. */
export function takeFiles(element: HTMLElement, choose: (source: ImportSource) => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const isDrag = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;
  const take = (files: FileList | undefined) => {
    const [file, second] = files ?? [];
    if (second) announce(t("import.oneFile"));
    else if (file) choose({ file });
  };
  const over = (event: DragEvent) => {
    if (!isDrag(event)) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.add("dropping");
  };
  element.addEventListener("dragover", over, { signal });
  element.addEventListener("dragleave", () => element.classList.remove("dropping"), { signal });
  const drop = (event: DragEvent) => {
    if (!isDrag(event)) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.remove("dropping");
    take(event.dataTransfer?.files);
  };
  element.addEventListener("drop", drop, { signal });
  const paste = (event: ClipboardEvent) => {
    if (event.target instanceof HTMLInputElement || !event.clipboardData) return;
    event.preventDefault();
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData("text/plain");
    if (files.length > 0) take(files);
    else if (text.trim() !== "") choose({ file: pastedFile(text) });
  };
  element.addEventListener("paste", paste, { signal });
  return () => listening.abort();
}
