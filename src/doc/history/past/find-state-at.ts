import { AppError, notFound } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { parseIsoDateTime } from "../../../values/iso-date.ts";
import { zoneOrUtc } from "../../../values/zones.ts";
import type { OpenDocument } from "../../document.ts";
import { listStates, type State } from "../states.ts";
import { parentHashOf, timeOf } from "./state-times.ts";

/** What a request asks for: a state by its number, or the last one at or before a time in milliseconds. */
export type WantedState =
  | { readonly kind: "number"; readonly n: number }
  | { readonly kind: "time"; readonly ms: number };

export type FoundState =
  | {
      readonly kind: "found";
      readonly state: State;
      /** Only for the newest state: changes without a state, such as those of clock-dependent formulas, can follow it. */
      readonly version?: string;
    }
  | {
      /** The state was removed from the history. */
      readonly kind: "pruned";
      readonly wanted: WantedState;
      readonly states: readonly State[];
      readonly parentHash: string | null;
    };

/**
 * Finds the state that `at` names: its number, or a time in ISO 8601, without an offset in the document's time zone.
 * @throws AppError `at.invalid`, `state.not_found`
 */
export function findStateAt(document: OpenDocument, at: string): FoundState {
  const { db } = document;
  const wanted = parseWantedState(at, document.timezone);
  if (!wanted)
    throw new AppError("at.invalid", "at must be the number of a state, or a time such as 2026-01-31T12:00:00Z");
  const states = listStates(db);
  const [newest] = states;
  const oldest = states.at(-1);
  if (!newest || !oldest) throw stateNotFound("This document has no history");
  if (wanted.kind === "number" && wanted.n > newest.n) {
    throw stateNotFound(`There is no state ${wanted.n} in the history of this document; the newest one is ${newest.n}`);
  }
  const state =
    wanted.kind === "number"
      ? states.find(({ n }) => n === wanted.n)
      : states.find((candidate) => isAtOrBefore(timeOf(db, candidate), wanted.ms));
  if (state) return { kind: "found", state, ...(state === newest && { version: document.version }) };
  const parentHash = parentHashOf(db);
  if (parentHash !== null && (wanted.kind === "time" || wanted.n < oldest.n))
    return { kind: "pruned", wanted, states, parentHash };
  throw beforeFirst(wanted, oldest, timeOf(db, oldest));
}

const isAtOrBefore = (time: number | null, ms: number): boolean => time !== null && time <= ms;

/** Digits are the number of a state, not a year. */
const NUMBER = /^[1-9]\d{0,14}$/;
/** A day alone would leave open which of its states is meant. In URLs, an unescaped `+` is a space. */
const TIME = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(Z|[-+ ]\d\d(?::?\d\d)?)?$/i;

/** Parses the number of a state, or a time in ISO 8601, without an offset in a time zone; returns null for other texts. */
export function parseWantedState(at: string, timezone: string): WantedState | null {
  if (NUMBER.test(at)) return { kind: "number", n: Number(at) };
  const [, time = "", offset = ""] = TIME.exec(at) ?? [];
  const seconds = time && parseIsoDateTime(time + offset.toUpperCase().replace(" ", "+"), zoneOrUtc(timezone));
  return typeof seconds === "number" ? { kind: "time", ms: Math.round(seconds * 1000) } : null;
}

function beforeFirst(wanted: WantedState, { n }: State, time: number | null): AppError {
  if (wanted.kind === "number") return stateNotFound(`There is no state ${wanted.n} in the history of this document`);
  const since = time === null ? "" : `, of ${isoTime(time)}`;
  return stateNotFound(`The document had no state at this time; its first one is ${n}${since}`);
}

const stateNotFound = (message: string): AppError => notFound(message, "state.not_found");
