/** The pages of sharing: invites people, changes and takes away roles, opens and closes things to everybody. */
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

/** What the page says of everybody, as the server has it now. */
async function refresh(): Promise<void> {
  for (const part of ["people", "public", "inheritance"]) if (findOptional(`#${part}`)) await refreshPart(part);
}

const parseRole = (value: string): string | null => (value === "" ? null : value);

/** Makes a change that a choice stands for; when it comes to nothing, the choice stands as before. */
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

/** As `choose`, for what one should think about. */
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
      select.value === "" ? `${person} has no role here any more.` : `${person} is ${ROLE_LABELS[select.value]} now.`;
    void changeSelection(select, delta, done);
    return;
  }
  void confirmChange(select, {
    title: `Put ${person} out of the site?`,
    text: "All roles in it end with that, on its workspaces and documents, too. What the person owns alone becomes yours.",
    action: "Put out",
    delta,
    done: `${person} does not belong to the site any more.`,
  });
}

function changePublic(select: HTMLSelectElement): void {
  const delta = { users: { [EVERYONE.email]: parseRole(select.value) } };
  if (select.value === "") void changeSelection(select, delta, `This ${kind} is no longer open to everybody.`);
  else {
    const verb = select.value === "viewers" ? "read" : "read and change";
    void confirmChange(select, {
      title: `Open ${name} to everybody?`,
      text: `Whoever has the address can then ${verb} this ${kind}, without signing in, and so can programs without a key.`,
      action: "Open to everybody",
      delta,
      done: `This ${kind} is open to everybody.`,
    });
  }
}

function removeOwnAccess(): void {
  const { email = "" } = find('#people [data-do="leave"]').closest("li")?.dataset ?? {};
  void confirmDialog({
    title: `Give up your role on ${name}?`,
    text:
      above === ""
        ? "Only an owner can give it back."
        : `Only an owner can give it back. What you have by ${above} stays.`,
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
    return showError(problem, new ApiError("refused", `“${invalidEmail.slice(0, 100)}” is no e-mail address.`, {}));
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
    void changeSelection(
      target,
      { maxInheritedRole: parseRole(target.value) },
      `What ${above} gives reaches here as chosen.`,
    );
  }
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest('[data-do="leave"]')) removeOwnAccess();
});
findOptional<HTMLFormElement>("#invite")?.addEventListener("submit", (event) => {
  event.preventDefault();
  void invite(event.currentTarget as HTMLFormElement);
});
