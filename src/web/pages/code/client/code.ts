/** The page of code examples. */
import { formText } from "../../../base/client/form-field.ts";
import { find, findOptional } from "../../../base/client/dom.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { prepareExamples } from "../../../base/client/api-key/examples.ts";
import { initKeyPanel } from "../../../base/client/api-key/panel.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

initKeyPanel();

const form = findOptional<HTMLFormElement>("#code-choice");
if (form) {
  // Selections apply immediately; the button is for browsers without scripts.
  find("button", form).hidden = true;
  form.addEventListener("change", () => void showExamples(form));
}

/** Shows the selected examples, with the inserted key. */
async function showExamples(form: HTMLFormElement): Promise<void> {
  if (!findOptional("#examples")) return form.requestSubmit();
  const data = new FormData(form);
  const query = new URLSearchParams({ table: formText(data, "table"), lang: formText(data, "lang") });
  history.replaceState(null, "", `?${query.toString()}`);
  try {
    await refreshPart("examples");
    prepareExamples();
  } catch {
    // On any error, loads the page normally, so that the browser shows the error.
    form.requestSubmit();
  }
}
