/** The page of lines for programs. */
import { textIn } from "./base/dialog.ts";
import { find, maybe } from "./base/dom.ts";
import { refreshPart } from "./base/refresh.ts";
import { prepareExamples } from "./key/examples.ts";
import { showKeyPanel } from "./key/panel.ts";

showKeyPanel();

const form = maybe<HTMLFormElement>("#code-choice");
if (form) {
  // What is chosen is shown at once; the button is for those without a script.
  find("button", form).hidden = true;
  form.addEventListener("change", () => void show(form));
}

/** Shows the examples of what was chosen; the key that was put into them stays there. */
async function show(form: HTMLFormElement): Promise<void> {
  if (!maybe("#examples")) return form.requestSubmit();
  const given = new FormData(form);
  const chosen = new URLSearchParams({ table: textIn(given, "table"), lang: textIn(given, "lang") });
  history.replaceState(null, "", `?${chosen.toString()}`);
  try {
    await refreshPart("examples");
    prepareExamples();
  } catch {
    // Whatever it is, the browser says it when it asks for the page.
    form.requestSubmit();
  }
}
