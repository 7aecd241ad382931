/** The commands of a user: forms that need no script. */
import type { Child, FC } from "hono/jsx";
import type { AdministeredUser } from "../../../../services/administration/users.ts";
import type { PendingInvitation } from "../../../../services/invitations/invitations.ts";
import { useTexts } from "../../../base/page-texts.tsx";
import { USERS_PATH } from "./list-state.ts";

/** The commands that forms send to `/admin/users/{userId}/{verb}`. */
export const USER_VERBS = {
  reset: { label: "admin.users.reset", labelFor: "admin.users.resetFor", kind: "plain" },
  "reset-second-factor": { label: "admin.users.resetFactor", labelFor: "admin.users.resetFactorFor", kind: "plain" },
  "end-sessions": { label: "admin.users.endSessions", labelFor: "admin.users.endSessionsFor", kind: "plain" },
  "make-administrator": { label: "admin.users.makeAdmin", labelFor: "admin.users.makeAdminFor", kind: "plain" },
  "withdraw-administrator": {
    label: "admin.users.withdrawAdmin",
    labelFor: "admin.users.withdrawAdminFor",
    kind: "plain",
  },
  enable: { label: "admin.users.enable", labelFor: "admin.users.enableFor", kind: "plain" },
  disable: { label: "admin.users.disable", labelFor: "admin.users.disableFor", kind: "danger" },
  remove: { label: "admin.users.remove", labelFor: "admin.users.removeFor", kind: "danger" },
  invite: { label: "admin.users.link", labelFor: "admin.users.linkFor", kind: "plain" },
  send: { label: "admin.invite.send", labelFor: "admin.invite.sendFor", kind: "plain" },
  revoke: { label: "admin.invite.revoke", labelFor: "admin.invite.revokeFor", kind: "danger" },
} as const;

export type UserVerb = keyof typeof USER_VERBS;

export const isUserVerb = (text: string): text is UserVerb => Object.hasOwn(USER_VERBS, text);

interface UserFormProps {
  readonly user: Pick<AdministeredUser, "id" | "email">;
  readonly verb: UserVerb;
  /** The page to return to. */
  readonly back: string;
  /** Replaces the label; the accessible name stays. */
  readonly text?: Child;
}

export const UserForm: FC<UserFormProps> = ({ user: { id, email }, verb, back, text }) => {
  const t = useTexts();
  const { label, labelFor, kind } = USER_VERBS[verb];
  return (
    <form method="post" action={`${USERS_PATH}/${id}/${verb}`}>
      <input type="hidden" name="back" value={back} />
      <button class={kind} {...(text === undefined && { "aria-label": t(labelFor, { email }) })}>
        {text ?? t(label)}
      </button>
    </form>
  );
};

export interface UserActionsProps {
  readonly user: AdministeredUser;
  readonly isSelf: boolean;
  readonly acceptsPasswords: boolean;
  /** Whether email is on. */
  readonly canSend: boolean;
  /** Of a user who has not signed in yet. */
  readonly invitation: PendingInvitation | undefined;
  readonly back: string;
}

/** All commands that a user allows now, for the menu of a row. */
export const UserActions: FC<UserActionsProps> = (props) => {
  const { user, back, invitation } = props;
  const t = useTexts();
  return (
    <>
      {verbsOf(props).map((verb) => (
        <UserForm user={user} verb={verb} back={back} />
      ))}
      {invitation && !user.isDisabled && <p class="hint">{t("admin.invite.revokeHint")}</p>}
      {canRemove(props) && (
        <a class="danger" href={`${USERS_PATH}/${user.id}?remove#remove`}>
          {t("admin.users.removeMenu")}
        </a>
      )}
    </>
  );
};

/** Only people who have signed in are deleted here: invitations are revoked. */
export const canRemove = ({ user, isSelf }: Pick<UserActionsProps, "user" | "isSelf">): boolean =>
  !isSelf && !user.isService && !user.isPending;

/** Returns the commands in the order of menus, except for deleting. */
export function verbsOf({ user, isSelf, acceptsPasswords, invitation, canSend }: UserActionsProps): UserVerb[] {
  const { isService, isDisabled, isAdmin, hasSecondFactor } = user;
  const isInvited = invitation !== undefined && !isDisabled;
  const isPerson = !isService && !isDisabled;
  const verbs: readonly (UserVerb | false)[] = [
    isInvited && "invite",
    isInvited && canSend && "send",
    acceptsPasswords && !invitation && isPerson && "reset",
    !isSelf && hasSecondFactor && "reset-second-factor",
    isPerson && (isAdmin ? "withdraw-administrator" : "make-administrator"),
    !isSelf && (isDisabled ? "enable" : "disable"),
    isInvited && "revoke",
  ];
  return verbs.filter((verb) => verb !== false);
}
