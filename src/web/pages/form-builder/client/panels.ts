/** The panels of the builder: a question, a text, the button, and the whole form. */
import { type Child, type Content, dataElement, h, icon } from "../../../base/client/dom.ts";
import { openSidePanel, type SidePanel } from "../../../base/client/panel.ts";
import { t } from "../../../base/client/texts.ts";
import { typeName } from "../../../base/type-names.ts";
import { boxAt, type FormBox } from "../../../base/views/form-layout.ts";
import { changeField, changeLayoutBox, changeOwnSettings, changeTitle } from "../edits.ts";
import { type FieldChanges, helpOf, optionValue, questionOf, shownOptions, type FormOption } from "../field-options.ts";
import { baseType, columnOf, type FormField } from "../form-data.ts";
import { type OwnSettings, readOwnSettings } from "../form-settings.ts";
import { BoundFields } from "./bound-fields.ts";
import { boxLabel, fieldOf, kindOf, textOf } from "./box-names.ts";
import type { BoxKey, Builder } from "./builder.ts";

const choices = () => ({
  formTextFormat: { singleline: t("formBuilder.singleLine"), multiline: t("formBuilder.severalLines") },
  formNumberFormat: { text: t("formBuilder.textField"), spinner: t("formBuilder.spinner") },
  formToggleFormat: { switch: t("formBuilder.switch"), checkbox: t("formBuilder.checkbox") },
  formSelectFormat: { select: t("formBuilder.select"), radio: t("formBuilder.radio") },
  formOptionsAlignment: { vertical: t("formBuilder.vertical"), horizontal: t("formBuilder.horizontal") },
  formOptionsSortOrder: {
    default: t("formBuilder.order.default"),
    ascending: t("formBuilder.order.ascending"),
    descending: t("formBuilder.order.descending"),
  },
});

export class Panels {
  readonly #builder: Builder;
  #open: { readonly panel: SidePanel; readonly key: BoxKey | null } | null = null;

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  /** Shows the settings of a box; closes the panel for boxes without any. */
  openBox(key: BoxKey): void {
    const { root, form } = this.#builder;
    const box = boxAt(root, this.#builder.pathOf(key) ?? []);
    if (!box) return;
    const kind = kindOf(form, box);
    const field = fieldOf(form, box);
    if (field) return this.#show(key, boxLabel(form, box), (fields, problem) => this.#question(field, fields, problem));
    if (kind === "text" || kind === "line")
      return this.#show(key, t("formBuilder.kind.text"), (fields, problem) => this.#text(key, fields, problem));
    if (kind === "submit")
      return this.#show(key, t("formBuilder.kind.submit"), (fields, problem) => {
        this.#layoutText("submitText", { label: t("formBuilder.submitText"), fields, problem });
        return [];
      });
    this.close();
  }

  openSettings(): void {
    this.#builder.select(null);
    this.#show(null, t("formBuilder.settings"), (fields, problem) => this.#settings(fields, problem));
  }

  close(): void {
    this.#open?.panel.close();
  }

  #show(
    key: BoxKey | null,
    title: Content,
    fill: (fields: BoundFields, problem: HTMLElement) => readonly Child[],
  ): void {
    const fields = new BoundFields(this.#builder);
    const problem = h("div", { class: "problem-place" });
    const more = fill(fields, problem);
    const stop = this.#builder.onChange(() => {
      // Another person, or Undo, has removed it.
      if (key !== null && this.#builder.pathOf(key) === null) panel.close();
      else fields.sync();
    });
    const panel = openSidePanel(title, [h("div", { class: "form-panel" }, ...fields.elements, problem, ...more)], {
      // Input is stored, not discarded.
      unsaved: () => {
        fields.commit();
        return null;
      },
      onClose: () => {
        fields.commit();
        stop();
        if (this.#open?.panel === panel) this.#open = null;
      },
    });
    this.#open = { panel, key };
  }

  #question(field: FormField, fields: BoundFields, problem: HTMLElement): Child[] {
    const builder = this.#builder;
    // The field as it is now.
    const now = () => builder.form.fields.find(({ ref }) => ref === field.ref) ?? field;
    const save = (changes: FieldChanges): Promise<boolean> =>
      builder.edit(() => changeField(builder.form, now(), changes), { problem, retry: () => void save(changes) });
    const value = (option: FormOption) => optionValue(builder.form, now(), option);
    const isShown = (option: FormOption) => () => shownOptions(builder.form, now()).includes(option);
    const check = (option: FormOption, label: string, hint?: string) =>
      fields.check({ label, hint, read: () => value(option) === true, save: (on) => save({ [option]: on }) });
    const count = (option: FormOption, label: string) =>
      fields.count({
        label,
        isShown: isShown(option),
        read: () => Number(value(option)) || null,
        save: (number) => save({ [option]: number }),
      });
    const column = columnOf(builder.form, field);
    fields.text({
      label: t("formBuilder.question"),
      read: () => questionOf(builder.form, now()),
      save: (question) => save({ question }),
    });
    fields.lines({
      label: t("formBuilder.help"),
      read: () => helpOf(builder.form, now()),
      save: (description) => save({ description }),
    });
    check("formRequired", t("formBuilder.required"));
    check("formIsHidden", t("formBuilder.hidden"), t("formBuilder.hiddenHint"));
    check(
      "formAcceptFromUrl",
      t("formBuilder.fromAddress"),
      t("formBuilder.fromAddressHint", { column: column?.id ?? "" }),
    );
    const labels = choices();
    const choice = (option: keyof typeof labels, label: string) =>
      fields.choice(
        {
          label,
          isShown: isShown(option),
          read: () => String(value(option)),
          save: (text) => save({ [option]: text }),
        },
        labels[option],
      );
    choice("formTextFormat", t("formBuilder.showAs"));
    count("formTextLineCount", t("formBuilder.lineCount"));
    count("formTextMaximumLength", t("formBuilder.maximumLength"));
    choice("formNumberFormat", t("formBuilder.showAs"));
    choice("formToggleFormat", t("formBuilder.showAs"));
    choice("formSelectFormat", t("formBuilder.showAs"));
    choice("formOptionsAlignment", t("formBuilder.alignment"));
    choice("formOptionsSortOrder", t("formBuilder.order"));
    count("formOptionsLimit", t("formBuilder.limit"));
    return [
      h(
        "p",
        { class: "hint" },
        ...t.rich("formBuilder.ofColumn", {
          type: typeName(t, baseType(column?.type ?? "")),
          column: dataElement(column?.label ?? ""),
        }),
      ),
      h(
        "p",
        {},
        h(
          "a",
          {
            href: `${builder.data.path}/tables/${encodeURIComponent(builder.form.table)}#${new URLSearchParams({ settings: column?.id ?? "" }).toString()}`,
          },
          t("formBuilder.otherOptions"),
          icon("chevron-right"),
        ),
      ),
    ];
  }

  #text(key: BoxKey, fields: BoundFields, problem: HTMLElement): Child[] {
    const builder = this.#builder;
    const box = (): FormBox | null => boxAt(builder.root, builder.pathOf(key) ?? []);
    const save = (changes: Readonly<Record<string, unknown>>): Promise<boolean> =>
      builder.edit(
        () => {
          const path = builder.pathOf(key);
          return path ? changeLayoutBox(builder.form, { root: builder.root, path }, changes) : [];
        },
        { problem, retry: () => void save(changes) },
      );
    fields.lines(
      {
        label: t("formBuilder.text"),
        hint: t("formBuilder.textHint"),
        read: () => textOf(box() ?? { type: "" }),
        save: (text) => save({ text }),
      },
      { rows: 8 },
    );
    fields.choice(
      {
        label: t("formBuilder.alignment"),
        read: () => {
          const { alignment } = box() ?? { type: "" };
          return alignment === "center" || alignment === "right" ? alignment : "left";
        },
        save: (alignment) => save({ alignment }),
      },
      { left: t("formBuilder.left"), center: t("formBuilder.center"), right: t("formBuilder.right") },
    );
    return [];
  }

  /** A text of the layout itself. */
  #layoutText(
    name: "submitText" | "successText" | "successURL",
    more: {
      readonly label: string;
      readonly hint?: string;
      readonly check?: (text: string) => string | null;
      readonly fields: BoundFields;
      readonly problem: HTMLElement;
      readonly attributes?: Readonly<Record<string, string | number>>;
    },
  ): void {
    const { label, hint, check, fields, problem, attributes } = more;
    const options = {
      label,
      hint,
      check,
      read: () => textOf({ type: "", text: this.#builder.root[name] }),
      save: (text: string) => this.#saveLayout({ [name]: text === "" ? undefined : text }, problem),
    };
    if (name === "successText") fields.lines(options, attributes);
    else fields.text(options, attributes);
  }

  #saveLayout(changes: Readonly<Record<string, unknown>>, problem: HTMLElement): Promise<boolean> {
    const builder = this.#builder;
    return builder.edit(() => changeLayoutBox(builder.form, { root: builder.root, path: [] }, changes), {
      problem,
      retry: () => void this.#saveLayout(changes, problem),
    });
  }

  #settings(fields: BoundFields, problem: HTMLElement): Child[] {
    const builder = this.#builder;
    const own = (): OwnSettings => readOwnSettings(builder.form.options);
    const saveOwn = (changes: Partial<OwnSettings>): Promise<boolean> =>
      builder.edit(() => changeOwnSettings(builder.form, changes), { problem, retry: () => void saveOwn(changes) });
    const saveTitle = (title: string): Promise<boolean> =>
      builder.edit(() => changeTitle(builder.form, title), { problem, retry: () => void saveTitle(title) });
    fields.text({
      label: t("formBuilder.name"),
      hint: t("formBuilder.nameHint"),
      read: () => builder.form.title,
      save: saveTitle,
    });
    this.#layoutText("submitText", { label: t("formBuilder.submitText"), fields, problem });
    this.#layoutText("successText", {
      label: t("formBuilder.successText"),
      hint: t("formBuilder.textHint"),
      fields,
      problem,
    });
    this.#layoutText("successURL", {
      label: t("formBuilder.successUrl"),
      hint: t("formBuilder.successUrlHint", { id: "{{ID}}" }),
      check: (text) => (/^(?:https?:\/\/.|$)/i.test(text) ? null : t("formBuilder.badUrl")),
      fields,
      problem,
      attributes: { type: "url" },
    });
    fields.check({
      label: t("formBuilder.anotherResponse"),
      read: () => builder.root["anotherResponse"] === true,
      save: (on) => this.#saveLayout({ anotherResponse: on }, problem),
    });
    fields.check({
      label: t("formBuilder.signIn"),
      hint: t("formBuilder.signInHint"),
      read: () => own().signIn,
      save: (signIn) => saveOwn({ signIn }),
    });
    fields.time({
      label: t("formBuilder.closesAt"),
      hint: t.rich("formBuilder.closesAtHint", {
        zone: dataElement(new Intl.DateTimeFormat().resolvedOptions().timeZone),
      }),
      read: () => own().closesAt,
      save: (closesAt) => saveOwn({ closesAt }),
    });
    fields.count({
      label: t("formBuilder.maxAnswers"),
      read: () => own().maxAnswers,
      save: (maxAnswers) => saveOwn({ maxAnswers }),
    });
    return [h("p", { class: "hint" }, t("formBuilder.ownSettingsHint"))];
  }
}
