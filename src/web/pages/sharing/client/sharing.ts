/** The sharing pages: invites users, changes and removes roles, manages public access. */
import { EVERYONE } from "../../../../authorization.ts";
import { isEmail } from "../../../../lib/text/email.ts";
import { api, ApiError, errorMessage, SITE_PREFIX } from "../../../base/client/api.ts";
import { confirmDialog, formText } from "../../../base/client/dialog.ts";
import { find, findOptional } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { showToast } from "../../../base/client/toast.ts";

const { path = "", kind = "", name = "", above = "" } = find("#sharing").dataset;

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
async function changeSelection(select: HTMLSelectElement, delta: Delta, successMessage: string): Promise<void> {
  select.disabled = true;
  try {
    await updateAccess(delta);
    await refresh();
    showToast(successMessage);
  } catch (error) {
    select.value = select.dataset["before"] ?? "";
    select.disabled = false;
    select.focus();
    showToast(errorMessage(error), { problem: true });
  }
}

/** Like `choose`, with a confirmation. */
async function confirmChange(
  select: HTMLSelectElement,
  confirmation: { title: string; text: string; action: string; delta: Delta; done: string },
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

const ROLE_LABELS: Record<string, string> = {
  owners: "an owner",
  editors: "an editor",
  viewers: "a viewer",
  members: "a member",
};

function changeRole(select: HTMLSelectElement): void {
  const { email = "", name: person = "" } = select.closest("li")?.dataset ?? {};
  const delta = { users: { [email]: parseRole(select.value) } };
  if (select.value !== "" || kind !== "site") {
    const done =
      select.value === "" ? `${person} no longer has a role here.` : `${person} is now ${ROLE_LABELS[select.value]}.`;
    void changeSelection(select, delta, done);
    return;
  }
  void confirmChange(select, {
    title: `Remove ${person} from the site?`,
    text: "They lose all roles on the site, its workspaces and documents. You become the owner of anything that only they own.",
    action: "Remove",
    delta,
    done: `${person} was removed from the site.`,
  });
}

function changePublic(select: HTMLSelectElement): void {
  const delta = { users: { [EVERYONE.email]: parseRole(select.value) } };
  if (select.value === "") void changeSelection(select, delta, `This ${kind} is no longer public.`);
  else {
    const verb = select.value === "viewers" ? "view" : "view and edit";
    void confirmChange(select, {
      title: `Make ${name} public?`,
      text: `Anyone with the link can then ${verb} this ${kind} without signing in, and programs without a key.`,
      action: "Make public",
      delta,
      done: `This ${kind} is now public.`,
    });
  }
}

function removeOwnAccess(): void {
  const { email = "" } = find('#people [data-do="leave"]').closest("li")?.dataset ?? {};
  void confirmDialog({
    title: `Leave ${name}?`,
    text:
      above === ""
        ? "Only an owner can restore your role."
        : `Only an owner can restore your role. Your role from ${above} is unaffected.`,
    action: "Leave",
    isDangerous: true,
    async submit(signal) {
      await updateAccess({ users: { [email]: null } }, signal);
      location.assign(`${SITE_PREFIX}/`);
    },
  });
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
  if (emails.length === 0 || button.disabled) return;
  const invalidEmail = emails.find((email) => !isEmail(email));
  if (invalidEmail !== undefined) {
    return showError(
      problem,
      new ApiError("refused", `“${invalidEmail.slice(0, 100)}” is not a valid email address.`, {}),
    );
  }
  button.disabled = true;
  try {
    await updateAccess({ users: Object.fromEntries(emails.map((email) => [email, role])) });
    form.reset();
    await refresh();
    showToast(emails.length === 1 ? `Shared with ${emails[0] ?? ""}.` : `Shared with ${emails.length} people.`);
  } catch (error) {
    showError(problem, error, { retry: () => form.requestSubmit() });
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLSelectElement)) return;
  if (target.dataset["do"] === "role") changeRole(target);
  if (target.dataset["do"] === "public") changePublic(target);
  if (target.dataset["do"] === "inherit") {
    void changeSelection(target, { maxInheritedRole: parseRole(target.value) }, `Inheritance from ${above} changed.`);
  }
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest('[data-do="leave"]')) removeOwnAccess();
});
findOptional<HTMLFormElement>("#invite")?.addEventListener("submit", (event) => {
  event.preventDefault();
  void invite(event.currentTarget as HTMLFormElement);
});
