import type { AppError } from "../../errors.ts";
import type { ContentCount } from "../protocol/log-types.ts";

/** Decides which answers may leave; see `hosts/answer-gate.ts`. */
export interface Gate {
  hold(doc: string, released: ContentCount): void;
  release(doc: string, released: ContentCount): void;
  refuse(doc: string, error: AppError): void;
  open(doc: string): void;
}

/** Returns a gate that calls `onReleased` after each release. */
export const observedGate = (gate: Gate, onReleased: (doc: string, released: ContentCount) => void): Gate => ({
  hold: (doc, released) => gate.hold(doc, released),
  release(doc, released) {
    gate.release(doc, released);
    onReleased(doc, released);
  },
  refuse: (doc, error) => gate.refuse(doc, error),
  open: (doc) => gate.open(doc),
});
