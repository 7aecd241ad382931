import { newestState } from "../history.ts";
import type { State } from "./states.ts";
import { AppError } from "../../errors.ts";
import { openUnchanged } from "../../sqlite/open-unchanged.ts";

/** Returns the newest state in a document's file, which this process does not have open; null without any. */
export function newestStateOf(file: string): State | null {
  using db = openUnchanged(file);
  const state = newestState(db);
  return state && { n: state.actionNum, h: state.actionHash };
}

/** @throws AppError `document.state_changed` when the newest state in a file has another hash */
export function checkState(file: string, hash: string): void {
  if (newestStateOf(file)?.h === hash) return;
  throw new AppError("document.state_changed", "The document was changed after the given state");
}
