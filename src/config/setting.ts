export interface Setting<T> {
  /** Long option of `quern serve`, without dashes. */
  readonly flag: string;
  readonly env: `QUERN_${string}`;
  /** The placeholder of its value in the help text: `PORT`. */
  readonly placeholder: string;
  /** The default value. */
  readonly defaultValue: T;
  /** The default as shown in help and documentation, where its own text does not fit. */
  readonly shown?: string;
  readonly about: string;
  /** Never shown, not even to administrators. */
  readonly isSecret?: boolean;
  /** Throws an Error with the rest of the sentence "--port …" when the text is invalid. */
  parse(text: string): T;
}

/** Infers the type of a setting from its default. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
