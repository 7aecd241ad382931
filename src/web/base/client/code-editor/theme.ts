/** The look of editors: colours and sizes are the tokens of the page, which shadow trees inherit. */
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const HIGHLIGHTING = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--text-muted)", fontStyle: "italic" },
  { tag: tags.special(tags.variableName), fontWeight: "600" },
]);

const LIST = ".cm-tooltip.cm-tooltip-autocomplete";

export const THEME = EditorView.theme({
  "&": {
    minHeight: "calc(var(--rows) * 1.5em + 2 * var(--gap-xs))",
    maxHeight: "min(28rem, 60dvh)",
    border: "1px solid var(--border-strong)",
    borderRadius: "var(--radius)",
    background: "var(--background)",
    color: "var(--text)",
    fontSize: "var(--font-s)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { flex: "1", fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "var(--gap-xs) 0", caretColor: "var(--text)", minHeight: "100%" },
  ".cm-line": { padding: "0 var(--gap-xs)" },
  "&:has([aria-invalid])": { borderColor: "var(--danger)" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--selected)", outline: "1px solid var(--border-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { background: "transparent", color: "var(--danger)" },
  ".cm-problem": {
    textDecoration: "underline wavy var(--danger) 1px",
    textUnderlineOffset: "0.2em",
    textDecorationSkipInk: "none",
  },
  ".cm-tooltip": {
    border: "1px solid var(--border)",
    borderRadius: "var(--radius)",
    background: "var(--surface)",
    color: "var(--text)",
    boxShadow: "var(--shadow)",
    zIndex: "60",
  },
  [`${LIST} > ul`]: {
    minWidth: "min(14rem, calc(100vw - 2rem))",
    maxWidth: "min(26rem, calc(100vw - 1rem))",
    maxHeight: "min(16rem, 40dvh)",
    padding: "var(--gap-2xs)",
    fontFamily: "inherit",
  },
  [`${LIST} > ul > li`]: {
    display: "flex",
    alignItems: "center",
    gap: "var(--gap-s)",
    minHeight: "var(--target-entry)",
    padding: "0 var(--gap-xs)",
    borderRadius: "var(--radius-s)",
    lineHeight: "1.3",
  },
  [`${LIST} > ul > li[aria-selected]`]: {
    background: "var(--selected)",
    color: "var(--text)",
    outline: "2px solid var(--accent)",
    outlineOffset: "-2px",
  },
  // Names are data: directions of their characters end with them.
  ".cm-completionLabel, .cm-completionDetail": {
    minWidth: "0",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
    unicodeBidi: "isolate",
  },
  ".cm-completionLabel": { flex: "1 1 auto" },
  ".cm-completionDetail": {
    flex: "0 1 auto",
    marginLeft: "0",
    color: "var(--text-muted)",
    fontSize: "var(--font-xs)",
    fontStyle: "normal",
  },
  ".cm-completionInfo": {
    maxWidth: "min(20rem, calc(100vw - 2rem))",
    padding: "var(--gap-xs) var(--gap-s)",
    fontSize: "var(--font-s)",
    lineHeight: "1.4",
  },
  "@media (pointer: coarse), (max-width: 40rem)": {
    ".cm-content": { fontSize: "var(--font-m)" },
    ".cm-completionInfo": { display: "none" },
  },
  "@media (forced-colors: active)": {
    [`${LIST} > ul > li[aria-selected]`]: {
      forcedColorAdjust: "none",
      background: "Highlight",
      color: "HighlightText",
      outlineColor: "Highlight",
    },
    [`${LIST} > ul > li[aria-selected] .cm-completionDetail`]: { color: "HighlightText" },
  },
});
