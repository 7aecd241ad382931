import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { describeForm, findFormSection, type FormDefinition } from "../../doc/forms/form-definition.ts";
import {
  formNotFound,
  formSettings,
  listLinkIds,
  requireOpen,
  requirePublishedForm,
  visibilityOfLink,
} from "../../doc/forms/published-forms.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { verb } from "./verb.ts";

interface SectionArgs {
  /** The row id of the section. */
  readonly section: number;
}

/** What a form asks, and until when it accepts answers. */
export interface OpenForm extends FormDefinition {
  /** The time at which the form closes, in ISO 8601; null for none. */
  readonly closesAt: string | null;
  readonly isSignInRequired: boolean;
}

/** Verbs for forms. Those over a link apply the rights of the link instead of access rules. */
export const formVerbs = {
  "forms.read": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: readForm }),
  "forms.readPublished": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "unaffected",
    overForms: true,
    run: readPublishedForm,
  }),
  "shares.list": verb({
    needs: "owners",
    changes: "none",
    reads: "snapshot",
    underRules: "unaffected",
    run: (document: OpenDocument, _grant: DocumentGrant, _args: null): string[] => listLinkIds(document),
  }),
};

function readForm(document: OpenDocument, grant: DocumentGrant, { section }: SectionArgs): OpenForm {
  const visibility = visibilityFor(document, grant);
  const form = findFormSection(visibility, section);
  if (!form) throw formNotFound();
  return { ...describeForm(visibility, form), ...shownSettings(form) };
}

function readPublishedForm(document: OpenDocument, grant: DocumentGrant, { section }: SectionArgs): OpenForm {
  const form = requirePublishedForm(document, grant, section);
  requireOpen(document, form);
  const definition = describeForm(visibilityOfLink(document), form);
  const formFieldsById = Object.fromEntries(
    Object.entries(definition.formFieldsById).map(([id, field]) => {
      // A condition names columns that the form does not ask for.
      const { dropdownCondition: _, ...options } = field.options;
      return [id, { ...field, options }];
    }),
  );
  return { ...definition, formFieldsById, ...shownSettings(form) };
}

function shownSettings(form: Parameters<typeof formSettings>[0]): Pick<OpenForm, "closesAt" | "isSignInRequired"> {
  const { closesAtMs, isSignInRequired } = formSettings(form);
  return { closesAt: closesAtMs === null ? null : new Date(closesAtMs).toISOString(), isSignInRequired };
}
