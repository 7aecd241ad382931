/** Small shared components. */
import type { Child, FC } from "hono/jsx";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../services/accounts/passwords.ts";
import type { LabelKey } from "../texts/texts.ts";
import { HELP_LINKS, type HelpTopic } from "./help/help-links.ts";
import { assetPath } from "../assets.ts";
import type { IconName } from "./icons.ts";
import { cutName, splitMarkedText } from "./names.ts";
import { useTexts } from "./page-texts.tsx";

/** A note about the state of what is shown; `problem` for failures. */
export const Note: FC<{ text: Child; problem?: boolean }> = ({ text, problem = false }) => (
  <p class={problem ? "note problem" : "note"}>{text}</p>
);

interface StatusMessageProps {
  text: Child;
  problem?: boolean;
  /** For forms of which a field has the focus. */
  atField?: boolean;
}

/** The result of a form. A problem takes the focus, which speaks it; the page's script announces all others. */
export const StatusMessage: FC<StatusMessageProps> = ({ text, problem = false, atField = false }) => (
  <p
    class={problem ? "note problem" : "note"}
    {...(problem && !atField ? { tabindex: -1, autofocus: true } : { "data-announce": "" })}
  >
    {text}
  </p>
);

/** A decorative icon, hidden from screen readers. */
export const Icon: FC<{ name: IconName }> = ({ name }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`${assetPath("icons.svg")}#${name}`} />
  </svg>
);

/** A link to the page of the help about what is shown. */
export const HelpLink: FC<{ topic: HelpTopic }> = ({ topic }) => (
  <a class="help-link" href={HELP_LINKS[topic]}>
    <Icon name="circle-question-mark" />
    {useTexts()("base.menu.help")}
  </a>
);

/** A time in UTC, which the page's script formats in the user's zone: `relative` as "3 hours ago". */
export const TimeElement: FC<{ at: string; as?: "relative" | "time" | "day" }> = ({ at, as = "relative" }) => {
  const t = useTexts();
  const utc = (length: number) => t("base.utc", { time: at.slice(0, length).replace("T", " ") });
  return (
    <time datetime={at} data-as={as} title={utc(19)}>
      {as === "time" ? utc(16) : at.slice(0, 10)}
    </time>
  );
};

/** A name or other data on its own: browsers do not translate it, and its direction does not affect the text around. */
export const Name: FC<{ text: string }> = ({ text }) => <bdi translate="no">{text}</bdi>;

/** A name in a sentence: a long one is cut, and its tooltip has it all. */
export const ShortName: FC<{ text: string }> = ({ text }) => {
  const short = cutName(text);
  return (
    <bdi translate="no" {...(short !== text && { title: text })}>
      {short}
    </bdi>
  );
};

/** A text whose names are marked with `markName`. */
export const MarkedText: FC<{ text: string }> = ({ text }) => (
  <>{splitMarkedText(text).map((part) => (part.isName ? <ShortName text={part.text} /> : part.text))}</>
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

interface EmptyStateProps {
  title: string;
  icon?: IconName;
  /** Whether its title is that of the page. */
  isHeading?: boolean;
  children?: Child;
}

/** An empty state: what belongs here, and the action to add it. */
export const EmptyState: FC<EmptyStateProps> = ({ title, icon, isHeading = false, children }) => (
  <div class="empty">
    {icon && <Icon name={icon} />}
    {isHeading ? <h1 class="title">{title}</h1> : <p class="title">{title}</p>}
    {children}
  </div>
);

/** A word or two beside a name: a role, a state. */
export const Badge: FC<{ text: string; kind?: "good" | "danger" | "quiet" }> = ({ text, kind = "quiet" }) => (
  <span class={`badge ${kind}`}>{text}</span>
);

/** Labels of roles. */
export const ROLE_NAMES = {
  owners: "base.role.owners",
  editors: "base.role.editors",
  viewers: "base.role.viewers",
} as const satisfies Record<string, LabelKey>;
