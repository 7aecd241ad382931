/** Until when a form accepts answers. */
import type { FC } from "hono/jsx";
import type { OpenForm } from "../../../services/forms/forms.ts";
import { useTexts } from "../../base/page-texts.tsx";
import { formatClosingTime } from "./closing-time.ts";

export const ClosingTime: FC<{ at: string }> = ({ at }) => (
  <time datetime={at} data-closing="">
    {formatClosingTime(useTexts().locale, new Date(at), "UTC")}
  </time>
);

interface ClosingNoteProps {
  readonly form: Pick<OpenForm, "closesAt">;
  readonly nowMs: number;
}

/** Members see a form in the preview after it has closed, too. */
export const ClosingNote: FC<ClosingNoteProps> = ({ form: { closesAt }, nowMs }) => {
  const t = useTexts();
  if (closesAt === null) return <></>;
  const time = <ClosingTime at={closesAt} />;
  const text =
    Date.parse(closesAt) <= nowMs ? t.rich("form.end.closedOn", { time }) : t.rich("form.closesOn", { time });
  return <p class="quiet closing">{text}</p>;
};
