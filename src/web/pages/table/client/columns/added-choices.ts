import { nextPair } from "../../../../base/palette.ts";
import type { UserAction } from "../undo-manager.ts";
import type { Column } from "./columns.ts";

type Styles = Readonly<Record<string, { readonly fillColor?: unknown } | undefined>>;

/** Returns the action that adds choices to a column, each with the next colours of the palette; none if it has them all. */
export function addedChoices(column: Column, texts: readonly string[]): UserAction[] {
  const missing = texts.filter((text) => !column.choices.includes(text));
  if (missing.length === 0) return [];
  const stored = (column.options["choiceOptions"] ?? {}) as Styles;
  const styles = new Map(Object.entries(stored));
  const fillOf = (choice: string): { fill?: string } => {
    const fill = styles.get(choice)?.fillColor;
    return typeof fill === "string" ? { fill } : {};
  };
  const choices = [...column.choices];
  for (const text of missing) {
    const { fill, text: textColor } = nextPair(choices.map(fillOf));
    styles.set(text, { ...styles.get(text), fillColor: fill, textColor } as Styles[string]);
    choices.push(text);
  }
  const widgetOptions = JSON.stringify({ ...column.options, choices, choiceOptions: Object.fromEntries(styles) });
  return [["UpdateRecord", "_grist_Tables_column", column.ref, { widgetOptions }]];
}
