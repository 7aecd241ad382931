/** Commands of the current page in the user's menu of phones, whose bars have no room for them. */
import { type Content, contentChildren, findOptional, h, replaceChildren } from "./dom.ts";

export interface PageCommand {
  readonly label: Content;
  /** The action, or the URL of a link. */
  readonly run?: () => void;
  readonly href?: string;
  readonly isDisabled?: boolean;
}

/** Replaces the former commands. Pages of visitors who are not signed in have no such menu. */
export function setPageCommands(commands: readonly PageCommand[]): void {
  const place = findOptional("#page-commands");
  if (place) replaceChildren(place, ...commands.map(commandElement));
}

function commandElement({ label, run, href, isDisabled = false }: PageCommand): HTMLElement {
  if (href !== undefined) return h("a", { href }, ...contentChildren(label));
  const choose = ({ currentTarget }: Event) => {
    (currentTarget as HTMLElement).closest("details")?.removeAttribute("open");
    run?.();
  };
  return h("button", { type: "button", disabled: isDisabled, onclick: choose }, ...contentChildren(label));
}
