import type { FC } from "hono/jsx";
import { curlCommand } from "../../base/curl.ts";
import type { Components, Operation, Parameter, Payload, Schema } from "./openapi.ts";
import { boundsText, collectFields, resolveSchema, typeText } from "./schema.ts";
import { Name } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";

interface Props {
  operation: Operation;
  components: Components;
  /** URL of the server. */
  address: string;
}

/** Everything about one operation. The description of the API is in English. */
export const OperationCard: FC<Props> = ({ operation, components, address }) => {
  const t = useTexts();
  const { id, summary, description, parameters, bodies, responses, errors } = operation;
  return (
    <section class="card operation" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} lang="en" translate="no">
        <a href={`#${id}`}>{summary}</a>
      </h2>
      <p class="route" translate="no">
        <Route {...operation} />
      </p>
      <Prose text={description} />
      {parameters.length > 0 && (
        <>
          <h3>{t("reference.parameters")}</h3>
          <ul class="fields">
            {parameters.map((parameter) => (
              <ParameterItem parameter={parameter} components={components} />
            ))}
          </ul>
        </>
      )}
      {bodies.map((body) => (
        <PayloadSection title={t("reference.body")} payload={body} components={components} marksRequired />
      ))}
      {responses.map((answer) => (
        <PayloadSection title={t("reference.response")} payload={answer} components={components} />
      ))}
      <h3>{t("reference.example")}</h3>
      <pre data-example translate="no">
        {curlCommand(operation, components, address)}
      </pre>
      <details>
        <summary>{t("reference.errors", { statuses: errors.map(({ status }) => status).join(", ") })}</summary>
        <dl lang="en" translate="no">
          {errors.map((refusal) => (
            <>
              <dt>{refusal.status}</dt>
              <dd>{refusal.description}</dd>
            </>
          ))}
        </dl>
      </details>
    </section>
  );
};

/** Method and path. */
export const Route: FC<Pick<Operation, "method" | "path">> = ({ method, path }) => (
  <>
    <span class={`method ${method.toLowerCase()}`}>{method}</span>{" "}
    <code>
      {path.split("/").map((segment, i) => (
        <>
          {/* Long paths may break between segments. */}
          {i > 0 && <wbr />}
          {i > 0 && "/"}
          {segment}
        </>
      ))}
    </code>
  </>
);

const ParameterItem: FC<{ parameter: Parameter; components: Components }> = ({ parameter, components }) => {
  const { name, in: place, required, description, schema = {} } = parameter;
  return (
    <li>
      <code translate="no">{name}</code>{" "}
      <TypeText schema={schema} components={components} more={`in ${PARAMETER_LOCATIONS[place]}`} />
      {required && <Required />}
      {description !== undefined && <Prose text={description} />}
    </li>
  );
};

const PARAMETER_LOCATIONS: Record<Parameter["in"], string> = {
  path: "the path",
  query: "the query",
  header: "a header",
  cookie: "a cookie",
};

const PayloadSection: FC<{ title: string; payload: Payload; components: Components; marksRequired?: boolean }> = (
  props,
) => {
  const { title, payload, components, marksRequired = false } = props;
  const { type, schema, description } = payload;
  const isJson = type === "application/json";
  return (
    <>
      <h3>{title}</h3>
      {description !== "Success." && <Prose text={description} />}
      <p class="type" lang="en" translate="no">
        {isJson ? "JSON" : <code>{type}</code>}
        {isJson && `, ${typeText(schema, components)}`}
      </p>
      <FieldList {...{ schema, components, marksRequired }} within={[]} />
    </>
  );
};

interface FieldsProps {
  schema: Schema;
  components: Components;
  marksRequired: boolean;
  within: readonly string[];
}

/** The fields of an object, with nested objects folded. */
const FieldList: FC<FieldsProps> = ({ schema, components, marksRequired, within }) => {
  const t = useTexts();
  const found = collectFields(schema, components, within);
  if (found.fields.length === 0) return null;
  return (
    <ul class="fields">
      {found.fields.map((field) => {
        const inner = { schema: field.schema, components, marksRequired, within: found.within };
        const count = collectFields(field.schema, components, found.within).fields.length;
        return (
          <li>
            <code translate="no">{field.name}</code> <TypeText schema={field.schema} components={components} />
            {marksRequired && field.isRequired && <Required />}
            <Prose text={resolveSchema(field.schema, components).schema.description ?? ""} />
            {count > 0 && (
              <details>
                <summary>
                  {t.rich("reference.fields", {
                    count,
                    name: <Name text={field.name} />,
                    unseen: (content) => <span class="unseen">{content}</span>,
                  })}
                </summary>
                <FieldList {...inner} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
};

const Required: FC = () => <span class="required"> {useTexts()("reference.required")}</span>;

const TypeText: FC<{ schema: Schema; components: Components; more?: string }> = ({ schema, components, more }) => (
  <span class="type" lang="en" translate="no">
    {[typeText(schema, components), boundsText(schema, components), more].filter(Boolean).join(", ")}
  </span>
);

/** Paragraphs with `code` and **strong**: the subset of Markdown that our descriptions use. */
const Prose: FC<{ text: string }> = ({ text }) => (
  <>
    {text
      .split(/\n{2,}/)
      .filter((paragraph) => paragraph !== "")
      .map((paragraph) => (
        <p lang="en" translate="no">
          {paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(renderInline)}
        </p>
      ))}
  </>
);

function renderInline(part: string) {
  if (part.startsWith("`") && part.length > 2) return <code>{part.slice(1, -1)}</code>;
  if (part.startsWith("**") && part.length > 4) return <strong>{part.slice(2, -2)}</strong>;
  return part;
}
