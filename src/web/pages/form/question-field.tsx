/** A question of a form with its native control, which works without a script. */
import type { Child, FC } from "hono/jsx";
import { unreachable } from "../../../lib/assert.ts";
import { Icon, Name } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { controlName } from "./answers.ts";
import type { Control, Option, Question } from "./questions.ts";

interface QuestionProps {
  readonly question: Question;
  /** What was entered. */
  readonly values: readonly string[];
  /** What is wrong with it. */
  readonly problem?: Child;
  /** Shown below the description of a question for files. */
  readonly fileHint: string;
}

/** The id of a question's control, or of the first of them: links of the summary of errors lead there. */
export const controlId = ({ id }: Question): string => `question-${id}`;

export const QuestionField: FC<QuestionProps> = (props) => {
  const { question, problem } = props;
  const { control } = question;
  const isGroup = control.kind === "radio" || control.kind === "checkboxes";
  const id = controlId(question);
  const hint = <Hint {...props} />;
  const message = problem !== undefined && (
    <p class="field-problem" id={`${id}-problem`}>
      <Icon name="triangle-alert" />
      <span>{problem}</span>
    </p>
  );
  if (isGroup) {
    return (
      <fieldset class="question" {...describedBy(props)}>
        <legend>
          <QuestionText question={question} />
        </legend>
        {hint}
        <OptionButtons {...props} options={control.options} isHorizontal={control.isHorizontal} />
        {message}
      </fieldset>
    );
  }
  if (control.kind === "toggle") {
    return (
      <div class="question">
        <label for={id}>
          <Toggle {...props} isSwitch={control.isSwitch} />
          <QuestionText question={question} />
        </label>
        {hint}
        {message}
      </div>
    );
  }
  return (
    <div class="question">
      <label for={id}>
        <QuestionText question={question} />
      </label>
      {hint}
      <SingleControl {...props} control={control} />
      {message}
    </div>
  );
};

const QuestionText: FC<{ question: Question }> = ({ question: { text, isRequired } }) => {
  const t = useTexts();
  const name = (
    <span dir="auto" translate="no">
      {text}
    </span>
  );
  return isRequired ? <>{t.rich("form.required", { question: name })}</> : name;
};

const hasHint = ({ question: { description, control } }: QuestionProps): boolean =>
  description !== "" || hasOwnHint(control);

const hasOwnHint = (control: Control): boolean =>
  control.kind === "files" ||
  (control.kind === "dateTime" && control.zone !== null) ||
  (control.kind === "suggestions" && control.hasMore);

const Hint: FC<QuestionProps> = (props) => {
  if (!hasHint(props)) return <></>;
  const { question } = props;
  return (
    <p class="hint" id={`${controlId(question)}-hint`}>
      {question.description && <Name text={question.description} />}
      {question.description && hasOwnHint(question.control) && " "}
      <OwnHint {...props} />
    </p>
  );
};

/** What the form itself says about a question. */
const OwnHint: FC<QuestionProps> = ({ question: { control }, fileHint }) => {
  const t = useTexts();
  if (control.kind === "files") return <>{fileHint}</>;
  if (control.kind === "suggestions" && control.hasMore) return <>{t("form.moreSuggestions")}</>;
  if (control.kind !== "dateTime" || control.zone === null) return <></>;
  return <>{t.rich("form.zone", { zone: <span translate="no">{control.zone}</span> })}</>;
};

/** Connects a control with its description and with what is wrong. */
function describedBy(props: QuestionProps) {
  const { question, problem } = props;
  const id = controlId(question);
  const ids = [...(!hasHint(props) ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return ids.length > 0 && { "aria-describedby": ids.join(" ") };
}

/** Attributes that all controls have. */
const common = (props: QuestionProps) => ({
  id: controlId(props.question),
  name: controlName(props.question),
  ...(props.problem !== undefined && { "aria-invalid": "true" }),
});

const Toggle: FC<QuestionProps & { isSwitch: boolean }> = ({ isSwitch, ...props }) => (
  <input
    {...common(props)}
    {...describedBy(props)}
    type="checkbox"
    value="1"
    checked={props.values.includes("1")}
    required={props.question.isRequired}
    {...(isSwitch && { role: "switch", class: "switch" })}
  />
);

const OptionButtons: FC<QuestionProps & { options: readonly Option[]; isHorizontal: boolean }> = (props) => {
  const { question, values, options, isHorizontal } = props;
  const isOne = question.control.kind === "radio";
  const { id, ...shared } = common(props);
  return (
    <div class={isHorizontal ? "options horizontal" : "options"}>
      {options.map(({ value, label }, index) => (
        <label>
          <input
            {...shared}
            id={index === 0 ? id : `${id}-${index}`}
            type={isOne ? "radio" : "checkbox"}
            value={value}
            checked={values.includes(value)}
            required={isOne && question.isRequired}
          />
          <Name text={label} />
        </label>
      ))}
    </div>
  );
};

/** The last day that browsers show with four digits of the year. */
const LAST_DAY = "9999-12-31";

type SingleKind = Exclude<Control["kind"], "toggle" | "radio" | "checkboxes">;

const SingleControl: FC<QuestionProps & { control: Extract<Control, { kind: SingleKind }> }> = (props) => {
  const { question, control, values } = props;
  const { isRequired } = question;
  const shared = { ...common(props), ...describedBy(props), required: isRequired };
  const value = values[0] ?? "";
  switch (control.kind) {
    case "lines":
      return (
        <textarea {...shared} rows={control.rows} dir="auto" {...limitOf(control.maxLength)}>
          {/* HTML drops the first line break. */}
          {value.startsWith("\n") ? `\n${value}` : value}
        </textarea>
      );
    case "number":
      return control.isSpinner ? (
        <input {...shared} type="number" step={control.isWhole ? "1" : "any"} value={value} />
      ) : (
        <input {...shared} inputmode={control.isWhole ? "numeric" : "decimal"} autocomplete="off" value={value} />
      );
    case "date":
      return <input {...shared} type="date" max={LAST_DAY} value={value} />;
    case "dateTime":
      return <input {...shared} type="datetime-local" max={`${LAST_DAY}T23:59`} value={value} />;
    case "select":
      return <Select {...props} options={control.options} shared={shared} />;
    case "suggestions":
      return <Suggestions {...props} options={control.options} shared={shared} />;
    case "files":
      return <input {...shared} type="file" multiple />;
    case "text":
      return <input {...shared} dir="auto" value={value} {...limitOf(control.maxLength)} />;
    default:
      return unreachable(control);
  }
};

const limitOf = (maxLength: number | null) => maxLength !== null && { maxlength: maxLength };

interface ListProps extends QuestionProps {
  readonly options: readonly Option[];
  readonly shared: object;
}

const Select: FC<ListProps> = ({ values, options, shared }) => {
  const t = useTexts();
  return (
    <select {...shared}>
      <option value="">{t("form.choose")}</option>
      {options.map(({ value, label }) => (
        <option value={value} selected={values.includes(value)} translate="no">
          {label}
        </option>
      ))}
    </select>
  );
};

/** Browsers filter the list, and more entries only make the page larger. */
const MAX_SUGGESTIONS = 2000;

const Suggestions: FC<ListProps> = ({ question, values, options, shared }) => {
  const list = `${controlId(question)}-list`;
  const labels = [...new Set(options.slice(0, MAX_SUGGESTIONS).map(({ label }) => label))];
  return (
    <>
      <input {...shared} list={list} autocomplete="off" dir="auto" value={values[0] ?? ""} />
      <datalist id={list}>
        {labels.map((label) => (
          <option value={label} translate="no"></option>
        ))}
      </datalist>
    </>
  );
};
