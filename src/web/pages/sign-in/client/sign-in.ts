/** The button of sign-in pages that uses a passkey. */
import { announce } from "../../../base/client/announce.ts";
import { api, errorContent } from "../../../base/client/api.ts";
import { replaceChildren } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { canUsePasskeys, isCancelled, usePasskey } from "../../../base/client/passkeys/passkeys.ts";
import { t } from "../../../base/client/texts.ts";

const place = document.querySelector<HTMLElement>("#passkey");
const button = place?.querySelector("button");
const problem = place?.querySelector<HTMLElement>(".problem");

if (place && button && problem && canUsePasskeys()) {
  place.hidden = false;
  const { use = "", next = "" } = place.dataset;
  button.addEventListener("click", () => {
    if (isBusy(button)) return;
    setBusy(button, true);
    problem.hidden = true;
    signIn(use, next)
      .catch((error: unknown) => {
        problem.hidden = false;
        replaceChildren(problem, ...(isCancelled(error) ? [t("signIn.passkey.cancelled")] : errorContent(error)));
        announce(problem);
      })
      .finally(() => setBusy(button, false));
  });
}

async function signIn(use: string, next: string): Promise<void> {
  const call = { method: "POST", isPage: true } as const;
  const options = await api<PublicKeyCredentialRequestOptionsJSON>("/sign-in/passkey/options", {
    ...call,
    body: { use },
  });
  const credential = await usePasskey(options);
  const { to } = await api<{ to: string }>("/sign-in/passkey", { ...call, body: { use, next, credential } });
  location.assign(to);
}
