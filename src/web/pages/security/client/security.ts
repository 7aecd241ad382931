/** Adds passkeys on the page of second factors. */
import { announce } from "../../../base/client/announce.ts";
import { api } from "../../../base/client/api.ts";
import { h, replaceChildren } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { canUsePasskeys, createPasskey, isCancelled } from "../../../base/client/passkeys/passkeys.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { showFieldButtons } from "../../../base/client/field-buttons.ts";
import { t } from "../../../base/client/texts.ts";

const form = document.querySelector<HTMLFormElement>("#add-passkey");
const problem = document.querySelector("#passkey-problem");
const unsupported = document.querySelector<HTMLElement>("#passkeys-unsupported");

if (form && problem && canUsePasskeys()) {
  form.hidden = false;
  if (unsupported) unsupported.hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = form.querySelector<HTMLInputElement>("[name=name]")?.value ?? "";
    const button = form.querySelector("button");
    if (!button || isBusy(button)) return;
    setBusy(button, true);
    clearError(problem);
    addPasskey(name)
      .catch((error: unknown) => {
        if (isCancelled(error)) showCancelled(problem);
        else showError(problem, error);
      })
      .finally(() => setBusy(button, false));
  });
}

async function addPasskey(name: string): Promise<void> {
  const options = await api<PublicKeyCredentialCreationOptionsJSON>("/api/profile/passkeys/options", {
    method: "POST",
    body: {},
  });
  const credential = await createPasskey(options);
  const { recoveryCodes } = await api<{ recoveryCodes: string[] }>("/api/profile/passkeys", {
    method: "POST",
    body: { name, credential },
  });
  if (recoveryCodes.length === 0) return location.assign("/profile/security?done=added#passkeys");
  showRecoveryCodes(recoveryCodes);
}

/** Recovery codes are shown once, so the page is left only when the user says so. */
function showRecoveryCodes(codes: readonly string[]): void {
  const heading = h("h2", { id: "recovery-title", tabindex: -1 }, t("secondFactor.codes.heading"));
  const section = h(
    "section",
    { class: "card", "aria-labelledby": "recovery-title" },
    heading,
    h("p", { class: "note" }, t("secondFactor.codes.once")),
    h(
      "label",
      {},
      t("secondFactor.codes.label"),
      h(
        "textarea",
        { class: "code", id: "recovery-codes", readonly: true, rows: codes.length, translate: "no" },
        codes.join("\n"),
      ),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "plain", "data-copy": "recovery-codes" }, t("base.copy")),
      h(
        "button",
        { type: "button", class: "plain", "data-save": "recovery-codes", "data-file": "quern-recovery-codes.txt" },
        t("secondFactor.codes.save"),
      ),
    ),
    h("a", { class: "button", href: "/profile/security?done=added#passkeys" }, t("secondFactor.codes.continue")),
  );
  form?.closest("section")?.before(section);
  form?.remove();
  showFieldButtons(section);
  heading.focus();
}

function showCancelled(container: Element): void {
  const text = t("security.passkeys.cancelled");
  replaceChildren(container, h("p", { class: "note problem" }, text));
  announce(text);
}
