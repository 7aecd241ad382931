/** The sharing pages: invites users, changes and removes roles, manages public access. */
import { EVERYONE } from "../../../../authorization.ts";
import { isEmail } from "../../../../lib/text/email.ts";
import { api, ApiError, errorContent, SITE_PREFIX } from "../../../base/client/api.ts";
import { confirmDialog } from "../../../base/client/dialog.ts";
import { formText } from "../../../base/client/form-field.ts";
import { find, findOptional, nameElement, type Content } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

import { handleInvitation } from "./invitations.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

type Kind = "document" | "workspace" | "site";

const { path = "", kind: kindText, name = "", above, aboveKind } = find("#sharing").dataset;
const kind = kindText as Kind;

interface Delta {
  readonly users?: Readonly<Record<string, string | null>>;
  readonly maxInheritedRole?: string | null;
}

const updateAccess = (delta: Delta, signal?: AbortSignal): Promise<unknown> =>
  api(path, { method: "PATCH", body: { delta }, signal });

/** The public access according to the server. */
async function refresh(): Promise<void> {
  for (const part of ["people", "public", "inheritance"]) if (findOptional(`#${part}`)) await refreshPart(part);
}

const parseRole = (value: string): string | null => (value === "" ? null : value);

/** Applies the change of a select; resets the select when it fails. */
async function changeSelection(select: HTMLSelectElement, delta: Delta, successMessage: Content): Promise<void> {
  const hadFocus = document.activeElement === select;
  select.disabled = true;
  try {
    await updateAccess(delta);
    select.disabled = false;
    // A disabled control loses the focus.
    if (hadFocus && document.activeElement === document.body) select.focus();
    await refresh();
    showToast(successMessage);
  } catch (error) {
    select.value = select.dataset["before"] ?? "";
    select.disabled = false;
    select.focus();
    showToast(errorContent(error), { problem: true });
  }
}

/** Like `choose`, with a confirmation. */
async function confirmChange(
  select: HTMLSelectElement,
  confirmation: { title: Content; text: Content; action: string; delta: Delta; done: Content },
): Promise<void> {
  const isDone = await confirmDialog({
    title: confirmation.title,
    text: confirmation.text,
    action: confirmation.action,
    isDangerous: true,
    async submit(signal) {
      await updateAccess(confirmation.delta, signal);
      await refresh();
      showToast(confirmation.done);
    },
  });
  if (!isDone) select.value = select.dataset["before"] ?? "";
}

const ROLE_GRANTED = {
  owners: "sharing.now.owners",
  editors: "sharing.now.editors",
  viewers: "sharing.now.viewers",
  members: "sharing.now.members",
} as const;

const PUBLIC_TEXTS = {
  document: {
    done: "sharing.publish.doneDocument",
    ended: "sharing.publish.endedDocument",
    viewers: "sharing.publish.viewDocument",
    editors: "sharing.publish.editDocument",
  },
  workspace: {
    done: "sharing.publish.doneWorkspace",
    ended: "sharing.publish.endedWorkspace",
    viewers: "sharing.publish.viewWorkspace",
    editors: "sharing.publish.editWorkspace",
  },
} as const;

function changeRole(select: HTMLSelectElement): void {
  const { email = "", name: person = "" } = select.closest("li")?.dataset ?? {};
  const delta = { users: { [email]: parseRole(select.value) } };
  if (select.value !== "" || kind !== "site") {
    const granted = select.value === "" ? "sharing.now.none" : ROLE_GRANTED[select.value as keyof typeof ROLE_GRANTED];
    const done = t.rich(granted, { name: nameElement(person) });
    void changeSelection(select, delta, done);
    return;
  }
  void confirmChange(select, {
    title: t.rich("sharing.removeFromSite.title", { name: nameElement(person) }),
    text: t("sharing.removeFromSite.text"),
    action: t("sharing.role.remove"),
    delta,
    done: t.rich("sharing.removeFromSite.done", { name: nameElement(person) }),
  });
}

function changePublic(select: HTMLSelectElement): void {
  const delta = { users: { [EVERYONE.email]: parseRole(select.value) } };
  const texts = PUBLIC_TEXTS[kind === "workspace" ? "workspace" : "document"];
  if (select.value === "") void changeSelection(select, delta, t(texts.ended));
  else {
    void confirmChange(select, {
      title: t.rich("sharing.publish.title", { name: nameElement(name) }),
      text: t(select.value === "viewers" ? texts.viewers : texts.editors),
      action: t("sharing.publish.action"),
      delta,
      done: t(texts.done),
    });
  }
}

function removeOwnAccess(): void {
  const { email = "" } = find('#people [data-do="leave"]').closest("li")?.dataset ?? {};
  void confirmDialog({
    title: t.rich("sharing.leave.title", { name: nameElement(name) }),
    text: leaveText(),
    action: t("sharing.leave"),
    isDangerous: true,
    async submit(signal) {
      await updateAccess({ users: { [email]: null } }, signal);
      location.assign(`${SITE_PREFIX}/`);
    },
  });
}

function leaveText(): Content {
  if (above === undefined) return t("sharing.leave.text");
  const key = aboveKind === "workspace" ? "sharing.leave.textWorkspace" : "sharing.leave.textSite";
  return t.rich(key, { name: nameElement(above) });
}

async function invite(form: HTMLFormElement): Promise<void> {
  const problem = find("#invite-problem");
  const button = find<HTMLButtonElement>("button", form);
  const data = new FormData(form);
  const emails = [
    ...new Set(
      formText(data, "emails")
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ];
  const role = formText(data, "role");
  clearError(problem);
  if (emails.length === 0 || isBusy(button)) return;
  const invalidEmail = emails.find((email) => !isEmail(email));
  if (invalidEmail !== undefined) {
    return showError(
      problem,
      new ApiError("refused", t("sharing.invite.invalid", { email: invalidEmail.slice(0, 100) }), {}),
    );
  }
  setBusy(button, true);
  try {
    await updateAccess({ users: Object.fromEntries(emails.map((email) => [email, role])) });
    form.reset();
    await refresh();
    showToast(
      emails.length === 1
        ? t.rich("sharing.invite.doneOne", { email: nameElement(emails[0] ?? "") })
        : t("sharing.invite.done", { count: emails.length }),
    );
  } catch (error) {
    showError(problem, error, { retry: () => form.requestSubmit() });
  } finally {
    setBusy(button, false);
  }
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLSelectElement)) return;
  if (target.dataset["do"] === "role") changeRole(target);
  if (target.dataset["do"] === "public") changePublic(target);
  if (target.dataset["do"] === "inherit") {
    void changeSelection(target, { maxInheritedRole: parseRole(target.value) }, t("sharing.inherit.changed"));
  }
});
document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  if (target.closest('[data-do="leave"]')) removeOwnAccess();
  const button = target.closest<HTMLButtonElement>('[data-do^="invitation-"]');
  if (button) void handleInvitation(button);
});
findOptional<HTMLFormElement>("#invite")?.addEventListener("submit", (event) => {
  event.preventDefault();
  void invite(event.currentTarget as HTMLFormElement);
});
