/** Small shared components. */
import type { Child, FC } from "hono/jsx";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../services/accounts/passwords.ts";
import { ICONS, type IconName } from "./icons.ts";

/** A status message; `problem` for failures. */
export const StatusMessage: FC<{ text: string; problem?: boolean }> = ({ text, problem = false }) => (
  <p class={problem ? "note problem" : "note"} role={problem ? "alert" : "status"}>
    {text}
  </p>
);

/** A decorative icon, hidden from screen readers. */
export const Icon: FC<{ name: IconName }> = ({ name }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** A time in UTC, which the page's script formats in the user's zone: `relative` as "3 hours ago". */
export const TimeElement: FC<{ at: string; as?: "relative" | "time" | "day" }> = ({ at, as = "relative" }) => (
  <time datetime={at} data-as={as} title={`${at.slice(0, 19).replace("T", " ")} UTC`}>
    {as === "time" ? `${at.slice(0, 16).replace("T", " ")} UTC` : at.slice(0, 10)}
  </time>
);

/** A field for a new password; it expects a hint with the id `password-hint` below. */
export const NewPasswordField: FC<{ label: string; name?: string; autofocus?: boolean }> = (props) => (
  <label>
    {props.label}
    <input
      name={props.name ?? "password"}
      type="password"
      autocomplete="new-password"
      required
      minlength={PASSWORD_MIN_LENGTH}
      maxlength={PASSWORD_MAX_LENGTH}
      aria-describedby="password-hint"
      autofocus={props.autofocus ?? false}
    />
  </label>
);

/** An empty state: what belongs here, and the action to add it. */
export const EmptyState: FC<{ title: string; icon?: IconName; children?: Child }> = ({ title, icon, children }) => (
  <div class="empty">
    {icon && <Icon name={icon} />}
    <p class="title">{title}</p>
    {children}
  </div>
);

/** A word or two beside a name: a role, a state. */
export const Badge: FC<{ text: string; kind?: "good" | "danger" | "quiet" }> = ({ text, kind = "quiet" }) => (
  <span class={`badge ${kind}`}>{text}</span>
);

/** Labels of roles. */
export const ROLE_NAMES = { owners: "Owner", editors: "Editor", viewers: "Viewer" } as const;
