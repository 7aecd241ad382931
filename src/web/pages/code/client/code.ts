/** The page of lines for programs. */
import { formText } from "../../../base/client/dialog.ts";
import { find, findOptional } from "../../../base/client/dom.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { prepareExamples } from "../../../base/client/api-key/examples.ts";
import { initKeyPanel } from "../../../base/client/api-key/panel.ts";

initKeyPanel();

const form = findOptional<HTMLFormElement>("#code-choice");
if (form) {
  // What is chosen is shown at once; the button is for those without a script.
  find("button", form).hidden = true;
  form.addEventListener("change", () => void showExamples(form));
}

/** Shows the examples of what was chosen; the key that was put into them stays there. */
async function showExamples(form: HTMLFormElement): Promise<void> {
  if (!findOptional("#examples")) return form.requestSubmit();
  const data = new FormData(form);
  const query = new URLSearchParams({ table: formText(data, "table"), lang: formText(data, "lang") });
  history.replaceState(null, "", `?${query.toString()}`);
  try {
    await refreshPart("examples");
    prepareExamples();
  } catch {
    // Whatever it is, the browser says it when it asks for the page.
    form.requestSubmit();
  }
}
