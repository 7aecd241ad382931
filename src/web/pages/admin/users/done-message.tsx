/** What a command of a user has done, with Undo where another command reverts it. */
import type { FC } from "hono/jsx";
import type { PageContext } from "../../../base/page-context.ts";
import { StatusMessage } from "../../../base/components.tsx";
import { useTexts } from "../../../base/page-texts.tsx";
import type { LabelKey } from "../../../texts/texts.ts";
import { UserForm, type UserVerb } from "./user-actions.tsx";

const DONE: Readonly<Record<string, { readonly text: LabelKey; readonly undo?: UserVerb }>> = {
  disable: { text: "admin.users.disabled", undo: "enable" },
  enable: { text: "admin.users.enabled", undo: "disable" },
  "reset-second-factor": { text: "admin.users.factorReset" },
  "end-sessions": { text: "admin.users.sessionsEnded" },
  "make-administrator": { text: "admin.users.adminMade", undo: "withdraw-administrator" },
  "withdraw-administrator": { text: "admin.users.adminWithdrawn", undo: "make-administrator" },
  remove: { text: "admin.users.removed" },
  send: { text: "admin.invite.sent" },
  revoke: { text: "admin.invite.revoked" },
};

/** Returns where the browser goes after a command. */
export function doneAddress(back: string, verb: UserVerb, userId: number): string {
  const [path = "", search = ""] = back.split("?");
  const params = new URLSearchParams(search);
  params.set("done", verb);
  params.set("user", String(userId));
  return `${path}?${params}`;
}

/** Shows the result that the address names. */
export const DoneMessage: FC<{ c: PageContext; back: string }> = ({ c, back }) => {
  const t = useTexts();
  const verb = c.req.query("done") ?? "";
  const done = Object.hasOwn(DONE, verb) ? DONE[verb] : undefined;
  if (!done) return null;
  const id = c.req.query("user") ?? "";
  const undo = /^\d{1,15}$/.test(id) ? done.undo : undefined;
  return (
    <div class="admin-done">
      <StatusMessage text={t(done.text)} />
      {undo && <UserForm user={{ id: Number(id), email: "" }} verb={undo} back={back} text={t("base.undo")} />}
    </div>
  );
};
