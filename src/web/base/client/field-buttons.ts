/** Buttons that copy or save the text of a field: `data-copy` and `data-save` have the id of the field. */
import { announce } from "./announce.ts";
import { t } from "./texts.ts";

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Shows the buttons below an element, which need a script. */
export function showFieldButtons(root: ParentNode = document): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>("button:is([data-copy], [data-save])")) {
    const { copy: copied, save, file = "" } = button.dataset;
    const field = root.querySelector<TextField>(`#${copied ?? save}`);
    if (!field) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      if (copied === undefined) return saveText(field.value, file);
      field.select();
      void copyText(field.value, button);
    });
  }
}

async function copyText(text: string, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("base.copied");
    announce(t("base.copied"));
  } catch {
    // Without permission the text stays selected, ready for the keyboard.
    button.textContent = t("base.pressToCopy");
    announce(t("base.pressToCopy"));
  }
}

function saveText(text: string, file: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
