import { any, blob } from "./types/any.ts";
import { bool } from "./types/bool.ts";
import { choiceList } from "./types/choice-list.ts";
import type { TypeFamily } from "./types/type-interfaces.ts";
import { dateTime } from "./types/date-time.ts";
import { date } from "./types/date.ts";
import { id, int } from "./types/int.ts";
import { manualSortPos, numeric, positionNumber } from "./types/numeric.ts";
import { attachments, refList } from "./types/reference-list.ts";
import { ref } from "./types/reference.ts";
import { choice, text } from "./types/text.ts";

/** All column types, by the part of the name before the colon. */
export const TYPE_FAMILIES: ReadonlyMap<string, TypeFamily> = new Map(
  [
    any,
    text,
    numeric,
    int,
    bool,
    date,
    dateTime,
    choice,
    choiceList,
    ref,
    refList,
    attachments,
    positionNumber,
    manualSortPos,
    id,
    blob,
  ].map((family) => [family.base, family]),
);
