/** How lists of documents look: as a list or a grid, and in which order. The server renders them. */
import { announce } from "../../../base/client/announce.ts";
import { keepChoice } from "../../../base/client/choices.ts";
import { find } from "../../../base/client/dom.ts";
import type { MenuEntry } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import {
  formatListChoice,
  LIST_COOKIE,
  type ListChoice,
  parseListChoice,
  type SortColumn,
} from "../../../base/list-choice.ts";
import { refresh, runWithErrorToast } from "./refresh-home.ts";

const currentChoice = (): ListChoice => parseListChoice(find("#home").dataset["list"] ?? "");

const change = (choice: ListChoice, done?: () => void) =>
  runWithErrorToast(async () => {
    keepChoice(LIST_COOKIE, formatListChoice(choice));
    await refresh(["view"]);
    done?.();
  });

/** Names begin with A; times and sizes with the largest. */
const descendsFirst = (column: SortColumn): boolean => column === "changed" || column === "size";

/** Sorts by the column of a header; the other way round if it already does. */
export function sortByHeader(button: HTMLElement): void {
  const { column, label = "" } = button.dataset;
  const choice = currentChoice();
  const { sort } = parseListChoice(`list.${column ?? ""}`);
  if (sort === null) return;
  const isDescending = choice.sort === sort ? !choice.isDescending : descendsFirst(sort);
  void change({ ...choice, sort, isDescending }, () =>
    announce(t(isDescending ? "home.sorted.descending" : "home.sorted.ascending", { column: label })),
  );
}

const ORDERS = [
  [null, "home.sort.default"],
  ["name", "home.sort.name"],
  ["changed", "home.sort.changed"],
  ["size", "home.sort.size"],
] as const;

export function viewMenu(): MenuEntry[] {
  const choice = currentChoice();
  const view = (isGrid: boolean): MenuEntry => ({
    label: t(isGrid ? "home.view.grid" : "home.view.list"),
    isChosen: choice.isGrid === isGrid,
    run: () => void change({ ...choice, isGrid }),
  });
  return [
    view(false),
    view(true),
    "separator",
    ...ORDERS.map(([sort, label]): MenuEntry => ({
      label: t(label),
      isChosen: choice.sort === sort,
      run: () => void change({ ...choice, sort, isDescending: sort !== null && descendsFirst(sort) }),
    })),
  ];
}
