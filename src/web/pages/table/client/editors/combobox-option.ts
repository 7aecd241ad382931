import type { Child } from "../../../../base/client/dom.ts";

/** An option. */
export interface ComboboxOption {
  readonly value: string | number;
  readonly label: string;
  /** A second line, which tells it apart from options with the same label. */
  readonly detail?: string;
  /** Its rendering; by default the label. */
  readonly show?: () => Node;
  /** Of an option that does not exist yet: the command that adds it. */
  readonly addText?: () => Child[];
}
