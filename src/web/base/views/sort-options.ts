/** Options of sort keys, as sections store them. */
import type { SortFlag, SortKey } from "../view-state.ts";

/** The options that put empty cells last. Descending, they are last without options; unchecked boxes are not empty. */
export const defaultFlags = (type: string, isDescending: boolean): readonly SortFlag[] =>
  isDescending || type === "Bool" ? [] : ["emptyLast"];

/** Returns the options that change the order of a column of a type, to be offered for it. */
export function offeredFlags(type: string): readonly SortFlag[] {
  switch (type) {
    case "Bool":
    case "Int":
    case "Numeric":
    case "Date":
    case "DateTime":
      return [];
    case "Choice":
      return ["orderByChoice", "naturalSort", "emptyLast"];
    case "Text":
    case "Any":
    case "Ref":
      return ["naturalSort", "emptyLast"];
    default:
      return ["emptyLast"];
  }
}

/** Whether an option has its effect. Descending, the whole order is reversed: empty cells are last without `emptyLast`. */
export function hasEffect({ flags, isDescending }: SortKey, flag: SortFlag): boolean {
  if (flag !== "emptyLast") return flags?.includes(flag) ?? false;
  return flags === undefined || flags.includes(flag) !== isDescending;
}

/** Returns a key with the effect of an option. Other options stay; a key without options gets those of its type. */
export function withEffect(
  key: SortKey,
  { flag, isOn, type }: { flag: SortFlag; isOn: boolean; type: string },
): SortKey {
  const others = (key.flags ?? defaultFlags(type, key.isDescending)).filter((one) => one !== flag);
  const isStored = flag === "emptyLast" ? isOn !== key.isDescending : isOn;
  return { ...key, flags: isStored ? [...others, flag] : others };
}

/** Returns a key in a direction. Its options stay, but that of empty cells becomes the usual one of the direction. */
export function withDirection(key: SortKey, isDescending: boolean, type: string): SortKey {
  if (!key.flags || key.isDescending === isDescending) return { ...key, isDescending };
  const kept = key.flags.filter((flag) => flag !== "emptyLast");
  return { ...key, isDescending, flags: [...kept, ...defaultFlags(type, isDescending)] };
}
