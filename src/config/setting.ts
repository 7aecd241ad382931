export interface Setting<T> {
  /** Long option of `quern serve`, without dashes. */
  readonly flag: string;
  readonly env: `QUERN_${string}`;
  /** What it takes, for the help text: `PORT`. */
  readonly placeholder: string;
  /** The value that holds when nothing is given. */
  readonly defaultValue: T;
  /** How the default reads in help and documentation, where its own text would not do. */
  readonly shown?: string;
  readonly about: string;
  /** Shown to nobody, administrators included. */
  readonly isSecret?: boolean;
  /** Throws an Error with the rest of the sentence "--port …" when the text is wrong. */
  parse(text: string): T;
}

/** Infers the type of a setting from its default. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;
