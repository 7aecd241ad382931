/** Changes of a tree of conditions; a path has the indexes of the groups down to a part. */
import type { Group, Part } from "../filter-model.ts";

export type PartPath = readonly number[];

/** Replaces a part by any number of parts. */
export function replacePart(group: Group, [at, ...rest]: PartPath, parts: readonly Part[]): Group {
  if (at === undefined) return group;
  return {
    ...group,
    parts: group.parts.flatMap((part, index) => {
      if (index !== at) return [part];
      if (rest.length === 0) return parts;
      return part.type === "group" ? [replacePart(part, rest, parts)] : [part];
    }),
  };
}

/** Adds a part at the end of a group. */
export function addPart(group: Group, [at, ...rest]: PartPath, added: Part): Group {
  if (at === undefined) return { ...group, parts: [...group.parts, added] };
  return {
    ...group,
    parts: group.parts.map((part, index) =>
      index === at && part.type === "group" ? addPart(part, rest, added) : part,
    ),
  };
}

/** Changes how the parts of a group are combined. */
export function setMatch(group: Group, [at, ...rest]: PartPath, match: Group["match"]): Group {
  if (at === undefined) return { ...group, match };
  return {
    ...group,
    parts: group.parts.map((part, index) =>
      index === at && part.type === "group" ? setMatch(part, rest, match) : part,
    ),
  };
}
