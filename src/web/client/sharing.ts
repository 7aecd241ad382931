/** The pages of sharing: invites people, changes and takes away roles, opens and closes things to everybody. */
import { EVERYONE } from "../../access.ts";
import { isEmail } from "../../lib/email.ts";
import { api, Failure, sentenceOf, SITE_PREFIX } from "./base/api.ts";
import { confirmDialog, textIn } from "./base/dialog.ts";
import { find, maybe } from "./base/dom.ts";
import { clearProblem, showProblem } from "./base/problem.ts";
import { refreshPart } from "./base/refresh.ts";
import { toast } from "./base/toast.ts";

const { path = "", kind = "", name = "", above = "" } = find("#sharing").dataset;

interface Delta {
  readonly users?: Readonly<Record<string, string | null>>;
  readonly maxInheritedRole?: string | null;
}

const change = (delta: Delta, signal?: AbortSignal): Promise<unknown> =>
  api(path, { method: "PATCH", body: { delta }, signal });

/** What the page says of everybody, as the server has it now. */
async function refresh(): Promise<void> {
  for (const part of ["people", "public", "inheritance"]) if (maybe(`#${part}`)) await refreshPart(part);
}

const roleOf = (value: string): string | null => (value === "" ? null : value);

/** Makes a change that a choice stands for; when it comes to nothing, the choice stands as before. */
async function choose(select: HTMLSelectElement, delta: Delta, done: string): Promise<void> {
  select.disabled = true;
  try {
    await change(delta);
    await refresh();
    toast(done);
  } catch (error) {
    select.value = select.dataset["before"] ?? "";
    select.disabled = false;
    select.focus();
    toast(sentenceOf(error), { problem: true });
  }
}

/** As `choose`, for what one should think about. */
async function confirmChoice(
  select: HTMLSelectElement,
  question: { title: string; text: string; action: string; delta: Delta; done: string },
): Promise<void> {
  const isDone = await confirmDialog({
    title: question.title,
    text: question.text,
    action: question.action,
    isDangerous: true,
    async submit(signal) {
      await change(question.delta, signal);
      await refresh();
      toast(question.done);
    },
  });
  if (!isDone) select.value = select.dataset["before"] ?? "";
}

const ROLES: Record<string, string> = {
  owners: "an owner",
  editors: "an editor",
  viewers: "a viewer",
  members: "a member",
};

function changeRole(select: HTMLSelectElement): void {
  const { email = "", name: person = "" } = select.closest("li")?.dataset ?? {};
  const delta = { users: { [email]: roleOf(select.value) } };
  if (select.value !== "" || kind !== "site") {
    const done =
      select.value === "" ? `${person} has no role here any more.` : `${person} is ${ROLES[select.value]} now.`;
    void choose(select, delta, done);
    return;
  }
  void confirmChoice(select, {
    title: `Put ${person} out of the site?`,
    text: "All roles in it end with that, on its workspaces and documents, too. What the person owns alone becomes yours.",
    action: "Put out",
    delta,
    done: `${person} does not belong to the site any more.`,
  });
}

function changePublic(select: HTMLSelectElement): void {
  const delta = { users: { [EVERYONE.email]: roleOf(select.value) } };
  if (select.value === "") void choose(select, delta, `This ${kind} is no longer open to everybody.`);
  else {
    const verb = select.value === "viewers" ? "read" : "read and change";
    void confirmChoice(select, {
      title: `Open ${name} to everybody?`,
      text: `Whoever has the address can then ${verb} this ${kind}, without signing in, and so can programs without a key.`,
      action: "Open to everybody",
      delta,
      done: `This ${kind} is open to everybody.`,
    });
  }
}

function leave(): void {
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
      await change({ users: { [email]: null } }, signal);
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
      textIn(data, "emails")
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ];
  const role = textIn(data, "role");
  clearProblem(problem);
  if (emails.length === 0 || button.disabled) return;
  const wrong = emails.find((email) => !isEmail(email));
  if (wrong !== undefined) {
    return showProblem(problem, new Failure("refused", `“${wrong.slice(0, 100)}” is no e-mail address.`, {}));
  }
  button.disabled = true;
  try {
    await change({ users: Object.fromEntries(emails.map((email) => [email, role])) });
    form.reset();
    await refresh();
    toast(emails.length === 1 ? `Shared with ${emails[0] ?? ""}.` : `Shared with ${emails.length} people.`);
  } catch (error) {
    showProblem(problem, error, { retry: () => form.requestSubmit() });
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLSelectElement)) return;
  if (target.dataset["do"] === "role") changeRole(target);
  if (target.dataset["do"] === "public") changePublic(target);
  if (target.dataset["do"] === "inherit") {
    void choose(target, { maxInheritedRole: roleOf(target.value) }, `What ${above} gives reaches here as chosen.`);
  }
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest('[data-do="leave"]')) leave();
});
maybe<HTMLFormElement>("#invite")?.addEventListener("submit", (event) => {
  event.preventDefault();
  void invite(event.currentTarget as HTMLFormElement);
});
