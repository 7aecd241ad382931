/** Links of invitations of users who have not signed in yet. */
import { api, errorContent } from "../../../base/client/api.ts";
import { copyButton } from "../../../base/client/copy.ts";
import { find, findOptional, h, nameElement } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

/** Handles a click on one of the buttons beside an invited user. */
export async function handleInvitation(button: HTMLButtonElement): Promise<void> {
  const place = find(".invitation", button.closest("li") ?? document);
  const { email = "" } = button.closest("li")?.dataset ?? {};
  const path = `/api/invitations/${place.dataset["user"] ?? ""}`;
  if (isBusy(button)) return;
  setBusy(button, true);
  try {
    if (button.dataset["do"] === "invitation-send") {
      await api(`${path}/send`, { method: "POST" });
      showToast(t.rich("sharing.invitation.sent", { email: nameElement(email) }));
    } else {
      const { link } = await api<{ link: string }>(`${path}/link`, { method: "POST" });
      showLink(place, { email, link });
    }
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  } finally {
    setBusy(button, false);
  }
}

/** Shows a link until the list is refreshed: it cannot be read again. */
function showLink(place: HTMLElement, { email, link }: { email: string; link: string }): void {
  findOptional(".invitation-link", place)?.remove();
  const field = h("input", {
    class: "key",
    readonly: true,
    value: link,
    autocomplete: "off",
    "aria-label": t("sharing.invitation.linkOf", { email }),
  });
  place.append(
    h(
      "div",
      { class: "row invitation-link" },
      field,
      copyButton(t("sharing.invitation.copy"), () => link),
    ),
  );
  field.focus();
  field.select();
  showToast(t.rich("sharing.invitation.created", { email: nameElement(email) }));
}
