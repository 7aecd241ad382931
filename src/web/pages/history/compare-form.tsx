import type { FC } from "hono/jsx";
import type { History } from "../../../wire/documents/history.ts";
import { useTexts } from "../../base/page-texts.tsx";
import type { PlainTexts } from "../../texts/texts.ts";

type State = History["states"][number];

interface CompareFormProps {
  /** The address of the history. */
  readonly address: string;
  /** The states to choose from, newest first. */
  readonly states: readonly State[];
  readonly left: number;
  /** Null for the present. */
  readonly right: number | null;
}

/** Chooses two states to compare. */
export const CompareForm: FC<CompareFormProps> = ({ address, states, left, right }) => {
  const t = useTexts();
  const missing = [left, ...(right === null ? [] : [right])].filter((n) => !states.some((state) => state.n === n));
  const options = [
    ...states.map((state) => ({ n: state.n, state })),
    ...[...new Set(missing)].map((n) => ({ n, state: null })),
  ].toSorted((a, b) => b.n - a.n);
  const action = [address, "compare"].join("/");
  const list = (chosen: number | null) =>
    options.map(({ n, state }) => (
      <option
        value={n}
        selected={n === chosen}
        data-at={state?.time ?? undefined}
        data-author={state && authorOf(state)}
      >
        {stateLabel(t, n, state)}
      </option>
    ));
  return (
    <form class="bar compare" method="get" action={action}>
      <div class="field">
        <label for="compare-left">{t("history.compare.left")}</label>
        <select id="compare-left" name="left">
          {list(left)}
        </select>
      </div>
      <div class="field">
        <label for="compare-right">{t("history.compare.right")}</label>
        <select id="compare-right" name="right">
          <option value="" selected={right === null}>
            {t("history.now")}
          </option>
          {list(right)}
        </select>
      </div>
      <button class="plain">{t("history.compare")}</button>
    </form>
  );
};

const authorOf = ({ user }: State): string => user?.name ?? user?.email ?? "";

/** Options contain only text: the server names times in UTC, the script in the reader's time zone. */
function stateLabel(t: PlainTexts, n: number, state: State | null): string {
  if (!state?.time) return t("history.state", { n });
  const at = t("base.utc", { time: state.time.slice(0, 16).replace("T", " ") });
  const author = authorOf(state);
  return author === "" ? t("history.option", { n, at }) : t("history.option.by", { n, at, author });
}
