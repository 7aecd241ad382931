import { unmarshal } from "../../values/marshal.ts";
import { changeCredentialsOf, isSameUser } from "../history/change-keys.ts";
import { isEndUser } from "../user-info.ts";
import type { AccessCheckedChange } from "./access-checked-change.ts";

const TABLE = "_grist_Attachments";
/** How long after the upload the uploader may put an attachment into cells. */
const OWNERSHIP_MS = 24 * 60 * 60 * 1000;

/**
 * True when the caller uploaded the attachment within the last day, by the document's history. Ids of deleted
 * attachments are reused, so only the most recent upload counts.
 */
export function hasUploaded(
  { db, schema, options: { user, nowMs } }: Pick<AccessCheckedChange, "db" | "schema" | "options">,
  id: number,
): boolean {
  if (!user.isLoggedIn || !schema.stored.has("_gristsys_actionhistory")) return false;
  const states = db.values(
    "select id, actionNum from _gristsys_ActionHistory where instr(body, cast(? as blob)) > 0 order by id desc",
    TABLE,
  );
  const credentialOf = changeCredentialsOf(db);
  for (const [state, actionNum] of states) {
    const [row] = db.values("select body from _gristsys_ActionHistory where id = ?", state ?? null);
    const body = row?.[0] instanceof Uint8Array ? readBody(row[0]) : null;
    if (!body) continue;
    if (body.timeMs < nowMs - OWNERSHIP_MS) return false;
    if (body.stored.some((action) => addsAttachment(action, id))) {
      const author = { email: body.user, isEndUser: credentialOf(Number(actionNum)).isEndUser };
      return isSameUser(author, { email: user.email, isEndUser: isEndUser(user) });
    }
  }
  return false;
}

interface Body {
  readonly user: string | null;
  readonly timeMs: number;
  /** Actions in their stored envelopes. */
  readonly stored: readonly unknown[];
}

function readBody(bytes: Uint8Array): Body | null {
  try {
    const { info, stored } = unmarshal(bytes, "number") as { info: [number, Record<string, unknown>]; stored: unknown };
    const { user } = info[1];
    return {
      user: typeof user === "string" ? user : null,
      timeMs: Number(info[1]["time"]),
      stored: Array.isArray(stored) ? stored : [],
    };
  } catch {
    return null;
  }
}

function addsAttachment(enveloped: unknown, id: number): boolean {
  const action: unknown = Array.isArray(enveloped) ? enveloped[1] : null;
  if (!Array.isArray(action) || action[1] !== TABLE) return false;
  return action[0] === "AddRecord" ? action[2] === id : action[0] === "BulkAddRecord" && isIn(action[2], id);
}

const isIn = (ids: unknown, id: number): boolean => Array.isArray(ids) && ids.includes(id);
