import type { FC } from "hono/jsx";

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Whether the label is a name of the world instead of a text of the page. */
  readonly isData?: boolean;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly canChange: boolean;
}

/** A setting that saves when it is left. */
export const TextSetting: FC<FieldProps> = ({ name, label, value, canChange }) =>
  canChange ? (
    <div class="setting">
      <label for={`setting-${name}`}>{label}</label>
      <input id={`setting-${name}`} name={name} value={value} maxlength={1000} autocomplete="off" data-setting={name} />
      <SettingMessages />
    </div>
  ) : (
    <ReadOnlySetting label={label} value={value} />
  );

/** A setting that saves when another value is chosen. */
export const SelectSetting: FC<FieldProps & { choices: readonly Choice[] }> = (props) => {
  const { name, label, value, canChange, choices } = props;
  const known = choices.some((choice) => choice.value === value)
    ? choices
    : [{ value, label: value, isData: true }, ...choices];
  if (!canChange)
    return <ReadOnlySetting label={label} value={known.find((choice) => choice.value === value)?.label ?? value} />;
  return (
    <div class="setting">
      <label for={`setting-${name}`}>{label}</label>
      <select id={`setting-${name}`} name={name} data-setting={name} data-saved={value} autocomplete="off">
        {known.map((choice) => (
          <option value={choice.value} selected={choice.value === value} translate={choice.isData ? "no" : undefined}>
            {choice.label}
          </option>
        ))}
      </select>
      <SettingMessages />
    </div>
  );
};

const SettingMessages: FC = () => (
  <>
    <p class="setting-status quiet" />
    <div class="problem-place" />
  </>
);

export const ReadOnlySetting: FC<{ label: string; value: string }> = ({ label, value }) => (
  <dl>
    <dt>{label}</dt>
    <dd>
      <bdi translate="no">{value}</bdi>
    </dd>
  </dl>
);
