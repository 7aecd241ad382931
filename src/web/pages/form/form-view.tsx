/** A form as visitors see it. */
import type { Child, FC } from "hono/jsx";
import { unreachable } from "../../../lib/assert.ts";
import { StatusMessage } from "../../base/layout.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { formatSize } from "../../base/sizes.ts";
import { controlName, type Input } from "./answers.ts";
import { findHeadings, type Headings } from "./headings.ts";
import type { FormLayout, FormNode } from "./layout.ts";
import { Markdown } from "./markdown.tsx";
import { type FieldProblems, NO_PROBLEMS, problemText, ProblemSummary } from "./problems.tsx";
import { QuestionField } from "./question-field.tsx";

export interface FormState {
  /** What was entered. */
  readonly input: Input;
  readonly problems?: FieldProblems;
  /** Why the form was not sent, if no single answer is the reason. */
  readonly refusal?: Child;
  /** Whether files were chosen, which browsers do not keep. */
  readonly hadFiles?: boolean;
}

interface FormViewProps extends FormState {
  readonly layout: FormLayout;
  /** Where the form is sent; null for a preview. */
  readonly action: string | null;
  /** Sent with the answer, so that sending it twice adds one row. */
  readonly token: string;
  /** The greatest size of all files together. */
  readonly maxBytes: number;
}

/** Names of the form's own fields. */
export const TOKEN_FIELD = "token";
/** A field that people do not see: programs that fill in all fields fill it in, too. */
export const TRAP_FIELD = "website";

export const FormView: FC<FormViewProps> = (props) => {
  const { layout, input, problems = NO_PROBLEMS, refusal, hadFiles = false, action, token, maxBytes } = props;
  const t = useTexts();
  const headings = findHeadings(layout.nodes);
  return (
    <>
      {headings.title === null && <h1 class="unseen">{t("form.title")}</h1>}
      {refusal && <StatusMessage text={refusal} problem />}
      <ProblemSummary questions={layout.questions} problems={problems} />
      {hadFiles && <p class="note warning">{t("form.filesAgain")}</p>}
      <FormElement action={action} maxBytes={maxBytes}>
        <input type="hidden" name={TOKEN_FIELD} value={token} autocomplete="off" />
        <Trap />
        <HiddenAnswers layout={layout} input={input} />
        <Nodes nodes={layout.nodes} form={props} headings={headings} />
      </FormElement>
    </>
  );
};

interface FormElementProps extends Pick<FormViewProps, "action" | "maxBytes"> {
  readonly children?: Child;
}

/** A preview is no form, which Enter would send. */
const FormElement: FC<FormElementProps> = ({ action, maxBytes, children }) =>
  action === null ? (
    <div class="form">{children}</div>
  ) : (
    <form class="form" method="post" action={action} enctype="multipart/form-data" data-max-bytes={maxBytes}>
      {children}
    </form>
  );

const Trap: FC = () => (
  <div class="unseen" aria-hidden="true">
    <input name={TRAP_FIELD} tabindex={-1} autocomplete="off" value="" />
  </div>
);

/** Answers to questions that are not shown. */
const HiddenAnswers: FC<{ layout: FormLayout; input: Input }> = ({ layout, input }) => (
  <>
    {layout.questions
      .filter(({ isHidden }) => isHidden)
      .flatMap((question) =>
        (input.get(question.colId) ?? []).map((value) => (
          <input type="hidden" name={controlName(question)} value={value} />
        )),
      )}
  </>
);

interface NodesProps {
  readonly nodes: readonly FormNode[];
  readonly form: FormViewProps;
  readonly headings: Headings;
}

const Nodes: FC<NodesProps> = ({ nodes, form, headings }) => (
  <>
    {nodes.map((node) => (
      <NodeView node={node} form={form} headings={headings} />
    ))}
  </>
);

const NodeView: FC<{ node: FormNode; form: FormViewProps; headings: Headings }> = ({ node, form, headings }) => {
  const t = useTexts();
  switch (node.kind) {
    case "section":
      return (
        <div class="section card">
          <Nodes nodes={node.children} form={form} headings={headings} />
        </div>
      );
    case "columns":
      return (
        <div class="columns">
          {node.children.map((child) => (
            <div class="column">
              <NodeView node={child} form={form} headings={headings} />
            </div>
          ))}
        </div>
      );
    case "gap":
      return <></>;
    case "text":
      return (
        <div class={`prose align-${node.alignment}`} translate="no">
          <Markdown tokens={node.tokens} headings={headings.tags} />
        </div>
      );
    case "submit":
      return <SubmitButton layout={form.layout} isPreview={form.action === null} />;
    case "question":
      return (
        <QuestionField
          question={node.question}
          values={form.input.get(node.question.colId) ?? []}
          problem={problemText(t, node.question, form.problems?.get(node.question.colId))}
          fileHint={t("form.fileLimit", { size: formatSize(t, form.maxBytes) })}
        />
      );
    default:
      return unreachable(node);
  }
};

const SubmitButton: FC<{ layout: FormLayout; isPreview: boolean }> = ({ layout: { submitText }, isPreview }) => {
  const t = useTexts();
  const text = submitText === "" ? t("form.submit") : <bdi translate="no">{submitText}</bdi>;
  return (
    <p class="submit">
      {isPreview ? (
        <button type="button" aria-disabled="true" aria-describedby="preview-note">
          {text}
        </button>
      ) : (
        <button>{text}</button>
      )}
    </p>
  );
};
